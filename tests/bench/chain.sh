#!/usr/bin/env bash
# chain.sh [LTC [BODIES...]]: time of every stage for chains of bodies, springs with freeplay and bearings with
# friction. What is not proportional to the number of bodies shows here.
set -eu
project=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
ltc=${1:-$project/build/release/ltc}
shift || true
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for bodies in "${@:-10 100 1000}"; do
  for n in $bodies; do
    awk -v n="$n" 'BEGIN {
      print "model Chain"
      print "  Rotational.Torque motor;\n  Blocks.Sine signal(amplitude = 10, f = 1);"
      for (i = 1; i <= n; ++i) {
        printf "  Rotational.Inertia body%d(J = %g);\n", i, 0.1 + 0.01 * (i % 7)
        printf "  Rotational.BearingFriction bearing%d(d = 0.1, tau0 = %g);\n", i, 0.2 + 0.01 * (i % 5)
        if (i < n) printf "  Rotational.FreeplaySpring shaft%d(k = %d, half_freeplay = 0.01);\n", i, 500 + i % 11
      }
      print "equation"
      print "  connect(signal.y, motor.tau);\n  connect(motor.flange, body1.flange_a);"
      for (i = 1; i <= n; ++i) {
        printf "  connect(body%d.flange_b, bearing%d.flange_a);\n", i, i
        if (i < n) printf "  connect(body%d.flange_b, shaft%d.flange_a);\n  connect(shaft%d.flange_b, body%d.flange_a);\n", i, i, i, i + 1
      }
      print "  annotation(experiment(StopTime = 0.01, Interval = 0.01));\nend Chain;"
    }' >"$folder/chain.ltm"
    printf '%d bodies\n' "$n"
    "$ltc" "$folder/chain.ltm" --simulate --quiet --timings --step 1e-4 -o "$folder/chain.csv"
  done
done
