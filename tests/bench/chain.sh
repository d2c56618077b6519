#!/usr/bin/env bash
# chain.sh [BUILD [BODIES...]]: chains of bodies, springs with freeplay and bearings with friction, driven at one end: time of
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
  awk -v n="$1" 'BEGIN {
    print "model Chain"
    print "  Rotational.Torque motor;\n  Blocks.Sine signal(amplitude = 10, f = 1);"
    for (i = 1; i <= n; ++i) {
      printf "  Rotational.Inertia body%d(J = %g);\n", i, 0.1 + 0.01 * (i % 7)
      printf "  Rotational.BearingFriction bearing%d(d = 0.1, tau0 = %g);\n", i, 0.2 + 0.01 * (i % 5)
      printf "  Rotational.FreeplaySpring shaft%d(k = %d, half_freeplay = 0.01);\n", i, 500 + i % 11
    }
    print "equation"
    print "  connect(signal.y, motor.tau);\n  connect(motor.flange, body1.flange_a);"
    for (i = 1; i <= n; ++i) {
      printf "  connect(body%d.flange_b, bearing%d.flange_a);\n  connect(body%d.flange_b, shaft%d.flange_a);\n", i, i, i, i
      if (i < n) printf "  connect(shaft%d.flange_b, body%d.flange_a);\n", i, i + 1
    }
    print "  annotation(experiment(StopTime = 1, Interval = 0.01));\nend Chain;"
  }'
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
    /usr/bin/time -f 'KiB %M' "$build/ltc" "$folder/chain.ltm" --simulate --quiet --timings --stop 0 \
      -o "$folder/chain.csv" 2>>"$folder/runs.txt"
  done
  printf '%10d' "$bodies"
  for stage in "${stages[@]}"; do printf '%10.1f' "$(least "$stage")"; done
  rhs=$("$build/tests/rhs_bench" "$folder/chain.ltm" "$bodies" | awk '{ print $3 }')
  printf '%10d%10.1f\n' "$(($(least KiB) / 1024))" "$rhs"
done
