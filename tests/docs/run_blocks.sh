#!/usr/bin/env bash
# run_blocks.sh LTC FILE.md: runs the code blocks of a document in an empty folder and compares what they print.
#   ```modelica  a block whose first line is `// file: NAME` is written to the file NAME; one without is compiled alone
#   ```console   lines `$ command` are run; the lines after it are the expected output, both streams together.
#                `...` stands for any text, also for several lines.
# Other blocks are not looked at.
set -u
ltc=$(readlink -f -- "$1") document=$(readlink -f -- "$2")
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
cd "$work" || exit 1
ltc() { "$ltc" "$@"; }
failures=0 blocks=0 commands=0
fail() {
  printf '%s:%s: %s\n' "$document" "$1" "$2"
  failures=$((failures + 1))
}

# matches EXPECTED OUTPUT: literal text but for `...`
matches() {
  [[ $1 == *...* ]] || { [[ $2 == "$1" ]]; return; }
  local parts=() part rest=$1 text=$2
  while [[ $rest == *...* ]]; do
    parts+=("${rest%%...*}")
    rest=${rest#*...}
  done
  local last=$rest
  [[ $text == "${parts[0]}"* ]] || return 1
  text=${text:${#parts[0]}}
  for part in "${parts[@]:1}"; do
    [[ $text == *"$part"* ]] || return 1
    text=${text#*"$part"}
  done
  [[ $text == *"$last" ]]
}

run_command() { # LINE COMMAND EXPECTED
  local output
  commands=$((commands + 1))
  output=$(eval "$2" 2>&1 </dev/null)
  matches "$3" "$output" || fail "$1" "'$2' prints
$output
--- instead of
$3"
}

run_console() { # LINE TEXT
  local line=$1 text command='' expected='' at=$1
  while IFS= read -r text; do
    line=$((line + 1))
    if [[ $text == '$ '* ]]; then
      [ -n "$command" ] && run_command "$at" "$command" "${expected%$'\n'}"
      command=${text#\$ } expected='' at=$line
    else
      expected+=$text$'\n'
    fi
  done <<<"$2"
  if [ -n "$command" ]; then run_command "$at" "$command" "${expected%$'\n'}"; fi
}

run_model() { # LINE TEXT
  local first=${2%%$'\n'*} output
  if [[ $first == '// file: '* ]]; then
    mkdir -p -- "$(dirname -- "${first#// file: }")"
    printf '%s\n' "${2#*$'\n'}" >"${first#// file: }"
    return
  fi
  printf '%s\n' "$2" >block.ltm
  output=$("$ltc" block.ltm --check 2>&1) || fail "$1" "the model does not compile:
$output"
  rm block.ltm
}

number=0 kind='' begin=0 text=''
while IFS= read -r line || [ -n "$line" ]; do
  number=$((number + 1))
  if [ -z "$kind" ]; then
    case $line in
    '```modelica' | '```console') kind=${line#'```'} begin=$number text='' ;;
    '```'?*) kind=other ;;
    esac
  elif [ "$line" = '```' ]; then
    blocks=$((blocks + 1))
    case $kind in
    modelica) run_model "$begin" "${text%$'\n'}" ;;
    console) run_console "$begin" "${text%$'\n'}" ;;
    esac
    kind=''
  else
    text+=$line$'\n'
  fi
done <"$document"
printf '%s: %d blocks, %d commands, %d failures\n' "$document" "$blocks" "$commands" "$failures"
[ "$failures" -eq 0 ] && [ "$blocks" -gt 0 ]
