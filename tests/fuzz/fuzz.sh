#!/usr/bin/env bash
# fuzz.sh FUZZER SECONDS [ARGUMENT...]: runs the fuzz target from the models of the library and the golden cases.
# What it finds lies in the current folder as crash-*, timeout-* or oom-*.
set -eu
fuzzer=$1 seconds=$2
shift 2
here=$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
mkdir "$work/corpus" "$work/seeds"
n=0
# Not the model with too many components: one digit less makes it one that takes long.
find "$here/../../library" "$here/../golden" "$here/corpus" -name '*.ltm' -size -16k \
  ! -name fail_too_many_components.ltm | sort |
  while read -r file; do
    n=$((n + 1))
    cp -- "$file" "$work/seeds/$n.ltm"
  done
"$fuzzer" "$work/corpus" "$work/seeds" -max_total_time="$seconds" -dict="$here/words.dict" -max_len=16384 \
  -artifact_prefix="$PWD/" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 "$@"
