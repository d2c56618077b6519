#!/usr/bin/env bash
# solvers.sh [BUILD [RUNS]]: the Taylor solver against a hand-written CVODE program of the same model (peer_model.ltm):
# time of one run with output each 0.01 s, events and error at the end. BUILD is a build with tests, default build/ci.
set -eu
export LC_ALL=C
project=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
build=${1:-$project/build/ci} runs=${2:-51}
ninja --quiet -C "$build" taylor_bench cvode_peer
echo "exact: psi = -0.6408811381196042, phi = -0.0386015131772117, 744 events"
echo "CVODE by hand, rtol 1e-8, Adams with fixed-point iteration, the fastest; BDF with Newton's, the usual choice:"
"$build/tests/cvode_peer" --repeat "$runs"
"$build/tests/cvode_peer" --method bdf --iteration newton --repeat "$runs"
for tolerance in 1e-9 3e-10 1e-10 1e-12 1e-15; do
  echo "taylor, tolerance $tolerance:"
  "$build/tests/taylor_bench" "$project/tests/bench/peer_model.ltm" "$tolerance" "$runs" motor.phi load.phi
done
