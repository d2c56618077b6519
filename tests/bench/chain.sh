#!/usr/bin/env bash
# chain.sh [BUILD [BODIES...]]: chains of discs, springs with freeplay and bearings with friction, driven at one end: time of
# every stage up to the first row of the result, memory, and time of a right-hand side. What is not proportional to the number
# of bodies shows here. BUILD is a build with tests, default build/ci. The best of a few runs, as others use the machine too.
set -eu
export LC_ALL=C
project=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
build=${1:-$project/build/ci}
shift || true
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ninja --quiet -C "$build" ltc rhs_bench >/dev/null

# chain N: the model as text
chain() {
  cat <<MODEL
model Chain
  parameter Integer n = $1;
  Rotational.Inertia disc[n](J = {0.1 + 0.01*mod(i, 7) for i in 1:n});
  Rotational.BearingFriction bearing[n](each d = 0.1, tau0 = {0.2 + 0.01*mod(i, 5) for i in 1:n});
  Rotational.FreeplaySpring shaft[n - 1](k = {500 + mod(i, 11) for i in 1:n - 1}, each half_freeplay = 0.01);
  Rotational.Torque motor;
  Blocks.Sine signal(amplitude = 10, f = 1);
equation
  connect(signal.y, motor.tau);
  connect(motor.flange, disc[1].flange_a);
  connect(disc.flange_b, bearing.flange_a);
  for i in 1:n - 1 loop
    connect(disc[i].flange_b, shaft[i].flange_a);
    connect(shaft[i].flange_b, disc[i + 1].flange_a);
  end for;
  annotation(experiment(StopTime = 1, Interval = 0.01));
end Chain;
MODEL
}

# least STAGE: of all runs
least() { awk -v s="$1" '$1 == s && (!n++ || $2 < m) { m = $2 } END { print m }' "$folder/runs.txt"; }

stages=(parse flatten assemble reduce lower JIT simulate total)
printf '%10s' bodies "${stages[@]}" MiB ns/body
printf '   [ms]\n'
for bodies in ${*:-10 100 1000 10000}; do
  chain "$bodies" >"$folder/chain.ltm"
  : >"$folder/runs.txt"
  for ((run = 0; run < (bodies > 1000 ? 3 : 9); ++run)); do
    /usr/bin/time -f 'KiB %M' "$build/ltc" "$folder/chain.ltm" --max-components 10000000 --simulate --quiet --timings --stop 0 \
      -o "$folder/chain.csv" 2>>"$folder/runs.txt"
  done
  printf '%10d' "$bodies"
  for stage in "${stages[@]}"; do printf '%10.1f' "$(least "$stage")"; done
  rhs=$("$build/tests/rhs_bench" "$folder/chain.ltm" "$bodies" | awk '{ print $3 }')
  printf '%10d%10.1f\n' "$(($(least KiB) / 1024))" "$rhs"
done
