#!/usr/bin/env bash
# steering.sh [LTC [RUNS]]: wall time of the whole command on the steering example, and its split into stages.
set -eu
export LC_ALL=C
project=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd -P)
ltc=$(readlink -f "${1:-$project/build/release/ltc}") runs=${2:-11}
model=$project/library/examples/steering.ltm
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# median FILE: of one number a line
median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

for ((i = 0; i < runs; ++i)); do
  begin=$(date +%s%N)
  "$ltc" "$model" --simulate --tolerance 1e-6 --quiet --timings 2>stages.txt
  end=$(date +%s%N)
  echo $(((end - begin) / 1000)) >>wall.txt
  while read -r stage time _; do echo "$time" >>"stage-$stage.txt"; done < <(grep -v "^solver" stages.txt)
done
printf 'steering.ltm --simulate, median of %d runs [ms]\n' "$runs"
while read -r stage _; do
  printf '%-10s %8.2f\n' "$stage" "$(median "stage-$stage.txt")"
done < <(grep -v "^solver" stages.txt)
printf '%-10s %8.2f\n' "wall" "$(median wall.txt | awk '{ print $1 / 1000 }')"
