#!/usr/bin/env bash
# scale.sh [BUILD [SHAPE...]]: mechanisms of n, 2 n and 4 n parts in shapes that each stage of the compiler might take a
# quadratic step for: processor time from text to the first row of the result, what doubling n costs, and memory. A ratio is
# near 2 where the cost is linear, 4 where it is quadratic. BUILD is a build, default build/ci.
set -eu
export LC_ALL=C
project=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
build=${1:-$project/build/ci}
shift || true
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ninja --quiet -C "$build" ltc >/dev/null

shapes=(freeplay_chain spring_chain rigid_chain rigid_chain_backwards gear_train rigid_gear_train spring_star rigid_star
  massless_chain massless_run massless_ladder massless_star massless_creep_chain damped_star dry_star friction_chain block_train islands signals)

# Parts and equations of a shape, over n. Shapes of bodies in a row differ in what joins neighbours.
row() {  # parameters of bodies, part that joins, further parts, further equations
  cat <<MODEL
  Rotational.Inertia body[n]($1);
  $2 joint[n - 1]$3;
  Rotational.Torque motor;
  Blocks.Sine signal(amplitude = 10, f = 1);
  $4
equation
  connect(signal.y, motor.tau);
  connect(motor.flange, body[1].flange_a);
  for i in 1:n - 1 loop
    connect(body[i].flange_b, joint[i].flange_a);
    connect(joint[i].flange_b, body[i + 1].flange_a);
  end for;
  $5
MODEL
}
star() {  # parameters of bodies, part that joins to the hub, its parameters, further parts, further equations
  cat <<MODEL
  Rotational.Inertia hub(J = 1);
  Rotational.Inertia body[n]($1);
  $2 joint[n]$3;
  Rotational.Torque motor;
  Blocks.Sine signal(amplitude = 10, f = 1);
  $4
equation
  connect(signal.y, motor.tau);
  connect(motor.flange, hub.flange_a);
  for i in 1:n loop
    connect(hub.flange_b, joint[i].flange_a);
    connect(joint[i].flange_b, body[i].flange_a);
  end for;
  $5
MODEL
}
bearings='Rotational.BearingFriction bearing[n](each d = 0.1, tau0 = {0.2 + 0.01*mod(i, 5) for i in 1:n});'
on_bearings='connect(body.flange_b, bearing.flange_a);'
inertias='J = {0.1 + 0.01*mod(i, 7) for i in 1:n}'
parts() {
  case $1 in
    freeplay_chain) row "$inertias" Rotational.FreeplaySpring '(k = {500 + mod(i, 11) for i in 1:n - 1}, each half_freeplay = 0.01)' "$bearings" "$on_bearings" ;;
    spring_chain) row "$inertias" Rotational.Spring '(k = {500 + mod(i, 11) for i in 1:n - 1})' '' '' ;;
    rigid_chain) row "$inertias" Rotational.Spring '(each k = inf)' "$bearings" "$on_bearings" ;;
    rigid_chain_backwards)
      row "$inertias" Rotational.Spring '(each k = inf)' '' '' | sed 's/body\[i\]/body[n + 1 - i]/; s/body\[i + 1\]/body[n - i]/' ;;
    gear_train) row "$inertias" Rotational.IdealGear '(ratio = {if mod(i, 2) == 0 then 2 else 0.5 for i in 1:n - 1})' '' '' ;;
    rigid_gear_train)
      row "$inertias" Rotational.IdealGear '(ratio = {if mod(i, 2) == 0 then 2 else 0.5 for i in 1:n - 1})' \
        'Rotational.Spring wheel[n](each k = inf); Rotational.Inertia rim[n](each J = 0.1);' \
        'connect(body.flange_b, wheel.flange_a); connect(wheel.flange_b, rim.flange_a);' ;;
    spring_star) star "$inertias" Rotational.Spring '(each k = 500)' '' '' ;;
    rigid_star) star "$inertias" Rotational.Spring '(each k = inf)' '' '' ;;
    massless_chain) row 'J = {if mod(i, 2) == 0 then 0 else 0.1 for i in 1:n}' Rotational.Spring '(each k = 500)' '' '' ;;
    massless_run)
      row 'J = {if i == 1 or i == n then 0.1 else 0 for i in 1:n}' Rotational.FreeplaySpring '(each k = 500, each half_freeplay = 0.01)' '' '' ;;
    massless_ladder)
      row 'each J = 0' Rotational.Spring '(each k = 500)' \
        'Rotational.Spring step[n](each k = 300); Rotational.Inertia rim[n](each J = 0.1);' \
        'connect(body.flange_b, step.flange_a); connect(step.flange_b, rim.flange_a);' ;;
    massless_star) star "$inertias" Rotational.Spring '(each k = 500)' '' '' | sed 's/hub(J = 1)/hub(J = 0)/' ;;
    massless_creep_chain)
      row 'J = {if mod(i, 2) == 0 then 0 else 0.1 for i in 1:n}' Rotational.FreeplaySpring '(each k = 500, each half_freeplay = 0.01)' "$bearings" "$on_bearings" ;;
    damped_star) star 'each J = 0' Rotational.Spring '(each k = 500)' 'Rotational.BearingFriction bearing[n](each d = 0.1, each tau0 = 0.2);' "$on_bearings" ;;
    dry_star)  # Maxwell's slip model
      star 'each J = 0' Rotational.Spring '(k = {100/(mod(i, 9) + 1) for i in 1:n})' 'Rotational.BearingFriction bearing[n](tau0 = {0.1*mod(i, 7) + 0.1 for i in 1:n});' "$on_bearings" ;;
    friction_chain) row "$inertias" Rotational.CrossFriction '(each d = 0.1, each tau0 = 0.2)' '' '' ;;
    block_train) row "$inertias" Rotational.CrossFriction '(each d = 0.1, each tau0 = 0.2)' "$bearings" "$on_bearings" ;;
    islands)
      cat <<MODEL
  Rotational.Inertia body[n]($inertias, each phi(start = 0.1));
  $bearings
  Rotational.Fixed wall[n];
  Rotational.Spring joint[n](each k = 500);
equation
  $on_bearings
  connect(joint.flange_a, wall.flange);
  connect(body.flange_a, joint.flange_b);
MODEL
      ;;
    signals)
      cat <<MODEL
  Real x[n](each start = 1);
  Real y[n];
equation
  y[1] = x[n];
  for i in 2:n loop
    y[i] = 0.5*y[i - 1] + x[i];
  end for;
  for i in 1:n loop
    der(x[i]) = -x[i] + 0.1*sin(y[i]);
  end for;
MODEL
      ;;
  esac
}
printf '%-24s%8s%33s%18s%8s\n' shape n 'n, 2 n, 4 n [s]' ratios MiB
(($#)) || set -- "${shapes[@]}"
for shape in "$@"; do
  n=${SIZE:-1000}
  times=()
  for factor in 1 2 4; do
    {
      printf 'model M\n  parameter Integer n = %d;\n' $((factor * n))
      parts "$shape"
      printf '  annotation(experiment(StopTime = 1, Interval = 0.01));\nend M;\n'
    } >"$folder/m.ltm"
    best=
    for _ in 1 2 3; do
      /usr/bin/time -f "%U %M" -o "$folder/time" "$build/ltc" "$folder/m.ltm" --simulate --quiet --stop 0 -o "$folder/m.csv" \
        --max-components 10000000
      read -r user memory <"$folder/time"
      if [ -z "$best" ] || awk "BEGIN { exit !($user < $best) }"; then best=$user; fi
    done
    times+=("$best")
  done
  printf '%-24s%8d' "$shape" "$n"
  printf '%11.2f' "${times[@]}"
  awk -v a="${times[0]}" -v b="${times[1]}" -v c="${times[2]}" -v m="$memory" \
    'BEGIN { printf "%9.1f%9.1f%8d\n", b/a, c/b, m/1024 }'
done
