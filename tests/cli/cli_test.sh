#!/usr/bin/env bash
# cli_test.sh CASE LTC PROJECT BUILD: runs one case of the command-line tests in a folder of its own.
# shellcheck disable=SC2317  # the cases are called by name
# shellcheck disable=SC2012  # file names are our own
set -u
case_name=$1 ltc=$2 project=$3 build=$4
unset LTM_PATH
export LC_ALL=C
folder=$(mktemp -d)
trap 'chmod -R u+w "$folder"; rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

fail() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# run CODE ARGUMENT...: runs ltc, keeps its output in the variables out and err, and checks the exit code.
run() {
  local wanted=$1 code
  shift
  "$ltc" "$@" >out.txt 2>err.txt </dev/null
  code=$?
  out=$(tr -d '\0' <out.txt) err=$(tr -d '\0' <err.txt)
  rm -f out.txt err.txt
  [ "$code" -eq "$wanted" ] || fail "exit code $code instead of $wanted for: $* ($err)"
}

says() { [[ $err == *"$1"* ]] || fail "no '$1' in: $err"; }
says_not() { [[ $err != *"$1"* ]] || fail "'$1' in: $err"; }
prints() { [[ $out == *"$1"* ]] || fail "no '$1' in the output: ${out:0:2000}"; }

# files NAME...: the folder holds exactly these, hidden ones included.
files() {
  local wanted found
  wanted=$(printf '%s\n' "$@" | sort)
  found=$(ls -A | sort)
  [ "$wanted" = "$found" ] || fail "files are: $found; wanted: $wanted"
}

# A spinning wheel on a spring, with friction.
model() {
  cat >"$1" <<'END'
model Wheel
  parameter Real stiffness = 20;
  Rotational.Inertia wheel(J = 0.5, phi(start = 1));
  Rotational.Spring spring(k = stiffness);
  Rotational.BearingFriction bearing(d = 0.1, tau0 = 0.4);
  Rotational.Fixed ground;
equation
  connect(wheel.flange_b, spring.flange_a);
  connect(spring.flange_b, ground.flange);
  connect(wheel.flange_a, bearing.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Wheel;
END
}

# value COLUMN ROW FILE: one value of a result (row 1 is the first after the header).
value() {
  awk -F, -v name="\"$1\"" -v row="$2" '
    NR == 1 { for (i = 1; i <= NF; ++i) if ($i == name) column = i }
    NR == row + 1 { print $column }' "$3"
}
rows() { awk 'END { print NR - 1 }' "$1"; }

help_and_version() {
  run 0 --help
  for word in --simulate --check --emit --set --zero LTM_PATH "Exit codes"; do prints "$word"; done
  run 0 --version
  prints "ltc "
}

# Settings of the model itself are a mistake in the model, those of the command line a wrong use.
bad_experiment() {
  cat > backwards.ltm <<'END'
model Backwards
  Real x(start = 1);
equation
  der(x) = -x;
  annotation(experiment(StopTime = -1));
end Backwards;
END
  run 2 backwards.ltm --simulate
  says "backwards.ltm:5:14: error[LT7006]"
  says "the stop time -1 s is before the start time 0 s"
  run 1 backwards.ltm --simulate --stop -2
  says LT7003
  run 0 backwards.ltm --simulate --stop 1
}

bad_options() {
  model wheel.ltm
  run 1
  says LT7003
  run 1 wheel.ltm
  says "say what to do"
  run 1 wheel.ltm --simulate --stoptime 3
  says "there is no option '--stoptime': did you mean '--stop'?"
  run 1 wheel.ltm --simulate --tolernce=1e-3
  says "there is no option '--tolernce': did you mean '--tolerance'?"
  run 1 wheel.ltm --simulate --tol 1e-3
  says "there is no option '--tol': did you mean '--tolerance'?"
  run 1 wheel.ltm --simulate -o a.csv -o b.csv
  says "-o can be given once only"
  run 1 wheel.ltm --simulate --nonsense
  says "--nonsense"
  run 1 wheel.ltm --simulate --check
  run 1 wheel.ltm --simulate --stop 1 --start 2
  says "before"
  run 1 wheel.ltm --simulate --start 3
  says "before the start time"
  run 1 wheel.ltm --simulate --interval 0
  run 1 wheel.ltm --simulate --interval -0.1
  run 1 wheel.ltm --simulate --step 0
  run 1 wheel.ltm --simulate --step -1e-4
  run 1 wheel.ltm --simulate --stop nan
  run 1 wheel.ltm --simulate --solver euler --step 1e-300
  run 1 wheel.ltm --simulate --tolerance 0
  run 1 wheel.ltm --simulate --tolerance 0.5
  says "tolerance"
  run 1 wheel.ltm --simulate --tolerance 1e-17
  run 1 wheel.ltm --simulate --solver magic
  run 1 wheel.ltm --simulate --interval 1e-12
  run 1 wheel.ltm --simulate --set stiffness
  run 1 wheel.ltm --simulate -o result.xls
  run 1 wheel.ltm second.ltm --simulate
  files wheel.ltm
}

not_available_yet() {
  model wheel.ltm
  local options
  for options in --explain --explain=latex "--study Fig8" "--sweep k=1:2:3" "--sensitivity k" \
    --linearize=2 \
    "--simulate -o r.mat" "--simulate -o r.html"; do
    # shellcheck disable=SC2086  # several words on purpose
    run 1 wheel.ltm $options
    says "not available yet"
  done
  files wheel.ltm
}

bad_regular_expression() {
  model wheel.ltm
  run 1 wheel.ltm --simulate --variables '('
  says "regular expression"
  files wheel.ltm
}

missing_file() {
  run 5 nothing.ltm --simulate
  says LT7001
  says nothing.ltm
  says "No such file"
  files
}

directory_as_model() {
  mkdir folder
  run 5 folder --simulate
  says LT7001
  files folder
}

empty_file() {
  : >empty.ltm
  run 2 empty.ltm --simulate
  says LT1007
  files empty.ltm
}

binary_garbage() {
  head -c 3000 /dev/urandom >noise.ltm
  printf '\377\376\000' >>noise.ltm
  run 2 noise.ltm --simulate
  says LT1
  head -c 100000 "$ltc" >program.ltm
  run 2 program.ltm --check
  says LT1
  files noise.ltm program.ltm
}

unterminated_string() {
  printf 'model M "never closed\n  Real x;\nequation\n  x = 1;\nend M;\n' >string.ltm
  run 2 string.ltm --simulate
  says LT1003
  says string.ltm:1:9
  files string.ltm
}

unknown_part() {
  printf 'model M\n  Rotational.Inertai wheel(J = 1);\nend M;\n' >part.ltm
  run 2 part.ltm --simulate
  says LT2001
  says part.ltm:2:
  says "Inertia"
  files part.ltm
}

# A text of a few bytes or many must not take minutes and all memory.
too_many_components() {
  printf 'model M\n  Rotational.Spring s[100000](each k = 1);\nend M;\n' >array.ltm
  run 2 array.ltm --check
  says "array.ltm:2:21: error[LT2032]: the model has more than 50000 components"
  printf 'model M\n  Rotational.Inertia disc[4](each J = 1);\n  Real x[2];\nequation\n  x = {1, 2};\nend M;\n' >discs.ltm
  run 0 discs.ltm --check --max-components 4
  run 2 discs.ltm --check --max-components 3
  says "--max-components N"
  {
    printf 'model M\n'
    for i in {1..50001}; do printf '  Rotational.Inertia disc%d(J = 1);\n' "$i"; done
    printf 'end M;\n'
  } >file.ltm
  run 2 file.ltm --check
  says "file.ltm:50002:22: error[LT2032]: the file has more than 50000 components"
  run 1 discs.ltm --check --max-components 0
  says LT7003
}

misspelt_parameter() {
  model wheel.ltm
  sed -i 's/J = 0.5/Jj = 0.5/' wheel.ltm
  run 2 wheel.ltm --simulate
  says LT2004
  says "Jj"
  files wheel.ltm
}

rotational_to_translational() {
  cat >mixed.ltm <<'END'
model Mixed
  Rotational.Inertia wheel(J = 1);
  Translational.Mass slider(m = 1);
equation
  connect(wheel.flange_b, slider.flange_a);
end Mixed;
END
  run 2 mixed.ltm --simulate
  says LT2008
  says mixed.ltm:5:
  files mixed.ltm
}

contradicting_gear_loop() {
  cat >loop.ltm <<'END'
model Loop
  Rotational.Inertia a(J = 1);
  Rotational.Inertia b(J = 1);
  Rotational.IdealGear one(ratio = 2);
  Rotational.IdealGear two(ratio = 3);
equation
  connect(a.flange_b, one.flange_a);
  connect(one.flange_b, b.flange_a);
  connect(a.flange_b, two.flange_a);
  connect(two.flange_b, b.flange_a);
end Loop;
END
  run 2 loop.ltm --simulate
  says LT3001
  files loop.ltm
}

body_without_inertia() {
  printf 'model M\n  Rotational.Inertia free(J = 0);\nend M;\n' >free.ltm
  run 2 free.ltm --simulate
  says LT3002
  says free
  files free.ltm
}

negative_inertia() {
  model wheel.ltm
  run 2 wheel.ltm --simulate --set wheel.J=-1
  says LT2012
  sed -i 's/J = 0.5/J = -0.5/' wheel.ltm
  run 2 wheel.ltm --simulate
  says LT2012
  says wheel.ltm:3:
  files wheel.ltm
}

nan_parameter() {
  model wheel.ltm
  run 2 wheel.ltm --simulate --set stiffness=nan
  sed -i 's/stiffness = 20/stiffness = 0\/0/' wheel.ltm
  run 2 wheel.ltm --simulate
  says LT2013
  files wheel.ltm
}

unknown_setting() {
  model wheel.ltm
  run 2 wheel.ltm --simulate --set spring.kk=3
  says LT2022
  files wheel.ltm
}

unwritable_output() {
  model wheel.ltm
  run 5 wheel.ltm --simulate -o no/such/folder/r.csv
  says LT7002
  says "No such file"
  says_not simulated # found before the work is done
  mkdir taken.csv
  run 5 wheel.ltm --simulate -o taken.csv
  says LT7002
  says "directory"
  run 5 wheel.ltm --simulate -o wheel.ltm/r.csv
  says LT7002
  files wheel.ltm taken.csv
}

read_only_result() {
  model wheel.ltm
  [ "$(id -u)" -eq 0 ] && return # root may write anywhere
  printf 'precious' >r.csv
  chmod 444 r.csv
  run 5 wheel.ltm --simulate -o r.csv
  says LT7002
  [ "$(cat r.csv)" = precious ] || fail "a protected file was changed"
  mkdir closed && chmod 555 closed
  run 5 wheel.ltm --simulate -o closed/r.csv
  says LT7002
}

full_device() {
  model wheel.ltm
  [ -e /dev/full ] || return
  "$ltc" wheel.ltm --simulate -o - >/dev/full 2>err.txt
  [ $? -eq 5 ] || fail "no exit code 5 for a full standard output"
  grep -q LT7002 err.txt || fail "no LT7002: $(cat err.txt)"
  "$ltc" wheel.ltm --emit flat >/dev/full 2>err.txt
  [ $? -eq 5 ] || fail "no exit code 5 for a dump to a full standard output"
  "$ltc" --help >/dev/full 2>err.txt
  [ $? -eq 5 ] || fail "no exit code 5 for --help to a full standard output"
  rm err.txt
  files wheel.ltm
}

broken_pipe() {
  model wheel.ltm
  # More than a pipe holds, so that the reader is gone before the writer is done.
  "$ltc" wheel.ltm --simulate --interval 1e-4 -o - 2>err.txt | head -n 1 >first.txt
  [ "${PIPESTATUS[0]}" -eq 5 ] || fail "no exit code 5 for a reader that went away"
  grep -q '"time"' first.txt || fail "no header: $(cat first.txt)"
}

check_writes_nothing() {
  model wheel.ltm
  run 0 wheel.ltm --check
  [ -z "$out$err" ] || fail "--check said: $out$err"
  files wheel.ltm
}

emit_stages() {
  model wheel.ltm
  run 0 wheel.ltm --emit ast
  prints "model Wheel"
  run 0 wheel.ltm --emit flat
  prints "connect(wheel.flange"
  run 0 wheel.ltm --emit dot
  prints 'graph "Wheel"'
  run 0 wheel.ltm --emit mechanism
  prints "bearing"
  run 0 wheel.ltm --emit reduced
  prints "bearing"
  run 0 wheel.ltm --emit llvm
  prints "define void @jets"
  prints "define void @prepare_mode"
  run 0 wheel.ltm --emit asm
  prints "prepare_mode:"
  run 1 wheel.ltm --emit nonsense
  says "mechanism"
  files wheel.ltm
}

class_option() {
  model wheel.ltm
  printf 'model Second\n  extends Wheel(stiffness = 30);\nend Second;\n' >>wheel.ltm
  run 0 wheel.ltm --simulate --stop 0.1
  run 0 wheel.ltm --simulate --stop 0.1 --class Wheel
  files Second_res.csv Wheel_res.csv wheel.ltm
  run 2 wheel.ltm --simulate --class Third
  says Third
}

set_changes_results() {
  model wheel.ltm
  run 0 wheel.ltm --simulate -o a.csv
  run 0 wheel.ltm --simulate -o b.csv --set stiffness=80 --set bearing.tau0=0.2
  run 0 wheel.ltm --simulate -o c.csv --set stiffness=20
  cmp -s a.csv b.csv && fail "--set changes nothing"
  cmp -s a.csv c.csv || fail "--set to the old value changes the result"
  run 2 wheel.ltm --simulate --set stiffness=wide
  files a.csv b.csv c.csv wheel.ltm
}

variables_option() {
  model wheel.ltm
  run 0 wheel.ltm --simulate --variables '^wheel\.(phi|w)$'
  [ "$(head -n 1 Wheel_res.csv)" = '"time","wheel.phi","wheel.w"' ] ||
    fail "columns are $(head -n 1 Wheel_res.csv)"
  run 0 wheel.ltm --simulate --variables nothing_like_this
  says "no variable matches"
  [ "$(head -n 1 Wheel_res.csv)" = '"time"' ] || fail "columns are $(head -n 1 Wheel_res.csv)"
}

integral_rows_and_grid() {
  model wheel.ltm
  local options mode
  for options in "--solver euler --step 1e-4" --no-event-rows; do
    # shellcheck disable=SC2086  # several words on purpose
    run 0 wheel.ltm --simulate $options
    [ "$(rows Wheel_res.csv)" -eq 21 ] || fail "$(rows Wheel_res.csv) rows"
    [ "$(value time 4 Wheel_res.csv)" = 0.3 ] || fail "third instant $(value time 4 Wheel_res.csv)"
    [ "$(value time 21 Wheel_res.csv)" = 2 ] || fail "last instant $(value time 21 Wheel_res.csv)"
    [ "$(value wheel.phi 1 Wheel_res.csv)" = 1 ] || fail "start $(value wheel.phi 1 Wheel_res.csv)"
    mode=$(value bearing.mode 2 Wheel_res.csv)
    [ "$mode" = -1 ] || fail "mode is '$mode'"
  done
  # Without an interval there are 500 of them.
  sed -i 's/, Interval = 0.1//' wheel.ltm
  for options in "--solver euler --step 1e-4" --no-event-rows; do
    # shellcheck disable=SC2086
    run 0 wheel.ltm --simulate $options
    [ "$(rows Wheel_res.csv)" -eq 501 ] || fail "$(rows Wheel_res.csv) rows"
  done
  run 0 wheel.ltm --simulate --start 0 --stop 0
  [ "$(rows Wheel_res.csv)" -eq 1 ] || fail "$(rows Wheel_res.csv) rows of one instant"
}

# Half a swing takes pi over sqrt(20/0.5 - 0.1^2) s: four reversals in 2 s, each with two rows.
event_rows() {
  model wheel.ltm
  run 0 wheel.ltm --simulate
  says "4 events"
  says "stick-slip changes: bearing 4"
  [ "$(rows Wheel_res.csv)" -eq 29 ] || fail "$(rows Wheel_res.csv) rows"
  # The first reversal is between 0.4 and 0.5 s: rows 6 and 7.
  [ "$(value time 5 Wheel_res.csv)" = 0.4 ] || fail "row 5 is at $(value time 5 Wheel_res.csv)"
  [[ $(value time 6 Wheel_res.csv) == 0.49679* ]] || fail "event at $(value time 6 Wheel_res.csv)"
  [ "$(value time 6 Wheel_res.csv)" = "$(value time 7 Wheel_res.csv)" ] || fail "one event, two times"
  [ "$(value bearing.mode 6 Wheel_res.csv)" = -1 ] || fail "mode before the event"
  [ "$(value bearing.mode 7 Wheel_res.csv)" = 1 ] || fail "mode after the event"
  [ "$(value wheel.w 7 Wheel_res.csv)" = 0 ] || fail "slip at the event"
  [ "$(value time 8 Wheel_res.csv)" = 0.5 ] || fail "row 8 is at $(value time 8 Wheel_res.csv)"
  run 0 wheel.ltm --simulate -o without.csv --no-event-rows
  [ "$(rows without.csv)" -eq 21 ] || fail "$(rows without.csv) rows"
  # The rows of the grid are the same.
  sed '7,8d' Wheel_res.csv | head -n 8 >with.txt
  head -n 8 without.csv | cmp -s - with.txt || fail "event rows change other rows"
  # The Euler solver has no instants of events.
  run 0 wheel.ltm --simulate --solver euler --step 1e-4
  [ "$(rows Wheel_res.csv)" -eq 21 ] || fail "$(rows Wheel_res.csv) rows of euler"
}

other_folder() {
  mkdir -p "models and more" elsewhere
  model "models and more/wheel.ltm"
  cd elsewhere || exit 1
  run 0 "../models and more/wheel.ltm" --simulate
  files Wheel_res.csv
  run 0 "$folder/models and more/wheel.ltm" --simulate -o "../models and more/r.csv"
  cmp -s Wheel_res.csv "../models and more/r.csv" || fail "results differ between folders"
}

standard_output() {
  model wheel.ltm
  run 0 wheel.ltm --simulate -o -
  prints '"time"'
  files wheel.ltm
  run 0 wheel.ltm --simulate -o /dev/null
  [ -c /dev/null ] || fail "/dev/null was replaced"
}

quiet_and_timings() {
  model wheel.ltm
  run 0 wheel.ltm --simulate
  says "Wheel: 2 states (primary model: 2)"
  says "simulated 0 s to 2 s by taylor with tolerance"
  says "steps, 4 events"
  says "stick-slip changes: bearing"
  says "wrote Wheel_res.csv: 29 rows"
  says "JIT"
  run 0 wheel.ltm --simulate --solver euler --step 1e-4
  says "simulated 0 s to 2 s by euler with h = 0.0001 s: 20000 steps"
  says "wrote Wheel_res.csv: 21 rows"
  run 0 wheel.ltm --simulate --quiet
  [ -z "$err" ] || fail "--quiet said: $err"
  run 0 wheel.ltm --simulate --quiet --timings
  for stage in parse flatten assemble reduce lower JIT simulate write total; do says "$stage"; done
  run 0 wheel.ltm --check --timings
  says lower
}

diagnostics_as_json() {
  model wheel.ltm
  sed -i 's/J = 0.5/Jj = 0.5/' wheel.ltm
  run 2 wheel.ltm --check --diagnostics json
  [[ $err == "["*"]" ]] || fail "no JSON array: $err"
  says '"LT2004"'
  run 1 wheel.ltm --diagnostics json --simulate --bad
  [[ $err == "["*"]" ]] || fail "no JSON array: $err"
  says '"LT7003"'
  model wheel.ltm
  run 0 wheel.ltm --simulate --diagnostics json
  [ "$err" = "[]" ] || fail "not an empty array: $err"
  run 5 wheel.ltm --simulate --diagnostics json -o no/r.csv
  [[ $err == "["*"]" ]] || fail "no JSON array: $err"
  says '"LT7002"'
}

assertion_stops_the_run() {
  model wheel.ltm
  sed -i 's/^equation/equation\n  assert(wheel.phi > 0.5, "the wheel is back at 0.5");/' wheel.ltm
  local options last
  for options in "--solver euler --step 1e-4" --no-event-rows; do
    # shellcheck disable=SC2086  # several words on purpose
    run 4 wheel.ltm --simulate $options
    says LT6002
    says "the wheel is back at 0.5"
    says "t = 0.1"
    files Wheel_res.csv wheel.ltm
    [ "$(rows Wheel_res.csv)" -eq 3 ] || fail "$(rows Wheel_res.csv) rows"
  done
  # The default solver stops exactly at the crossing.
  run 4 wheel.ltm --simulate
  last=$(rows Wheel_res.csv)
  [ "$last" -ge 3 ] || fail "the rows so far are missing"
  awk -v x="$(value wheel.phi "$last" Wheel_res.csv)" \
    'BEGIN { exit !(x - 0.5 < 1e-12 && 0.5 - x < 1e-12) }' ||
    fail "stopped at $(value wheel.phi "$last" Wheel_res.csv)"
  says "note: wheel.phi = 0.5 rad ("
}

# An assertion may hold derivatives that nothing else needs: cos(t) < 0.5 from t = pi/3 on.
assertion_on_a_rate() {
  cat >rate.ltm <<'END'
model Rate
  Real x = sin(time);
equation
  assert(der(x) > 0.5, "too slow");
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Rate;
END
  local last
  run 4 rate.ltm --simulate
  says "too slow"
  last=$(rows Rate_res.csv)
  awk -v t="$(value time "$last" Rate_res.csv)" \
    'BEGIN { e = t - atan2(sqrt(3), 1); exit !(e < 1e-10 && e > -1e-10) }' ||
    fail "stopped at $(value time "$last" Rate_res.csv)"
}

# A signal without a value is named, not the body that it drives.
infinite_signal() {
  local law solver
  for law in 'q = 1/(1 - time)' 'q = sqrt(1 - time)' 'q = log(1 - time)'; do
    cat >signal.ltm <<END
model Drive
  Rotational.Inertia wheel(J = 1);
  Rotational.Torque motor;
  Real q;
equation
  $law;
  motor.tau = 3*q;
  connect(motor.flange, wheel.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Drive;
END
    for solver in taylor cvode euler; do
      run 4 signal.ltm --simulate --solver $solver --step 1e-3
      says LT6001
      says "signal.ltm:4:8: error[LT6001]: 'q' became infinite or not a number at t = 1"
      says "root or logarithm of a negative number"
      [ "$(rows Drive_res.csv)" -ge 10 ] || fail "the rows so far are missing"
    done
  done
}

# No state follows it: rows end where it first has no value.
infinite_output() {
  cat >show.ltm <<'END'
model Show
  Real q;
equation
  q = sqrt(0.55 - time);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Show;
END
  local solver
  for solver in taylor cvode euler; do
    run 4 show.ltm --simulate --solver $solver --step 1e-3
    says "show.ltm:2:8: error[LT6001]: 'q' became infinite or not a number at t = 0.6"
    says "simulated 0 s to 0.6 s"
    [ "$(rows Show_res.csv)" -ge 7 ] || fail "the rows so far are missing"
  done
  cat >two.ltm <<'END'
model Two
  Real early = sqrt((time - 0.53)^2 - 1e-4) "no value between two rows";
  Real late = 1/(time - 0.75);
  annotation(experiment(StopTime = 1, Interval = 0.25));
end Two;
END
  run 4 two.ltm --simulate --variables '^late$'
  says "two.ltm:3:8: error[LT6001]: 'late' became infinite or not a number at t = 0.75"
}

infinite_solution() {
  cat >grow.ltm <<'END'
model Grow
  Real x(start = 1);
  Rotational.Inertia wheel(J = 1);
  Rotational.Damper damper(d = 1);
  Rotational.Fixed ground;
equation
  der(x) = x*x;
  connect(wheel.flange_b, damper.flange_a);
  connect(damper.flange_b, ground.flange);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Grow;
END
  local options
  for options in "--solver euler --step 1e-3" --no-event-rows; do
    # shellcheck disable=SC2086  # several words on purpose
    run 4 grow.ltm --simulate $options
    says LT6001
    says "'x'"
    [ "$(rows Grow_res.csv)" -ge 10 ] || fail "the rows so far are missing"
    files Grow_res.csv grow.ltm
  done
  # A root that brakes what a growing load moves from rest decays without bound there.
  cat >root.ltm <<'END'
model Root
  Real x(start = 0);
equation
  der(x) = time^1.5 - sign(x)*sqrt(abs(x));
end Root;
END
  run 4 root.ltm --simulate --stop 1
  says "root.ltm:2:8: error[LT6001]: 'x' has no Taylor series, and no step leads on, at t = "
  says "--solver cvode may go on"
  files Grow_res.csv Root_res.csv grow.ltm root.ltm
  run 0 root.ltm --simulate --stop 1 --solver cvode
}

# A tiny inertia behind a strong damper: steps follow a motion that has died out long ago.
stiffness_warning() {
  cat >stiff.ltm <<'END'
model Stiff
  Rotational.Inertia body(J = 1, w.start = 1), tip(J = 1e-5);
  Rotational.SpringDamper shaft(k = 100, d = 1), ground(k = 10, d = 0.1);
  Rotational.Fixed wall;
equation
  connect(body.flange_b, shaft.flange_a);
  connect(shaft.flange_b, tip.flange_a);
  connect(body.flange_a, ground.flange_a);
  connect(ground.flange_b, wall.flange);
  annotation(experiment(StopTime = 1, Interval = 0.1));
end Stiff;
END
  run 0 stiff.ltm --simulate
  says "fast motion of 'tip.w'"
  says "no inertia (J = 0, m = 0) with a damping"
  run 0 stiff.ltm --simulate --set tip.J=0
  says_not "fast motion"
  cat >cubic.ltm <<'END'
model Cubic
  parameter Units.RotationalDamping d = 1;
  parameter Units.Torque n = 3, shake = 1;
  Rotational.Inertia body(J = 1, w(start = 1)), tip(J = 1e-5);
  Rotational.SpringDamper shaft(k = 100, d = 1);
  Rotational.Torque load;
equation
  load.tau = -d*tip.w - n*tip.phi^3 + shake*sin(time);
  connect(body.flange_a, shaft.flange_a);
  connect(shaft.flange_b, tip.flange_b);
  connect(load.flange, tip.flange_a);
  annotation(experiment(StopTime = 1, Interval = 0.1));
end Cubic;
END
  run 0 cubic.ltm --simulate
  says "fast motion of 'tip.w'"
  run 0 cubic.ltm --simulate --set n=0
  says "fast motion of 'tip.w'"
  run 0 cubic.ltm --simulate --set tip.J=0.1
  says_not "fast motion"
  cat >riccati.ltm <<'END'
model Riccati
  Real v(start = 1);
equation
  der(v) = -1e6*(v - cos(time)) + v^2;
  annotation(experiment(StopTime = 0.1, Interval = 0.01));
end Riccati;
END
  run 0 riccati.ltm --simulate
  says "a fast motion of the signal 'v'"
  cat >node.ltm <<'END'
model Node
  Rotational.Inertia body(J = 1, w.start = 1), node(J = 0);
  Rotational.Spring shaft(k = 1000), ground(k = 1000);
  Rotational.Damper damper(d = 1e-3);
  Rotational.Fixed wall;
equation
  connect(body.flange_b, shaft.flange_a);
  connect(shaft.flange_b, node.flange_a);
  connect(node.flange_b, ground.flange_a);
  connect(ground.flange_b, wall.flange);
  connect(node.flange_b, damper.flange_a);
  connect(damper.flange_b, wall.flange);
  annotation(experiment(StopTime = 1, Interval = 0.1));
end Node;
END
  run 0 node.ltm --simulate
  says "'node' has no inertia: without the damping that acts there (d = 0), too"
  run 0 node.ltm --simulate --set damper.d=0
  says_not "fast motion"
  cat >lag.ltm <<'END'
model Lag
  Rotational.Inertia body(J = 1);
  Rotational.Torque drive;
  Blocks.FirstOrder lag(T = 1e-5);
equation
  lag.u = sin(time);
  drive.tau = lag.y;
  connect(drive.flange, body.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Lag;
END
  run 0 lag.ltm --simulate
  says "fast motion of the signal 'lag.y'"
  says_not "J = 0"
}

# Nothing but a dry friction of 1 N.m holds a body without inertia, under a load that grows to 2.
no_equilibrium() {
  cat >slips.ltm <<'END'
model Slips
  Rotational.Inertia body(J = 0);
  Rotational.BearingFriction bearing(d = 0, tau0 = 1);
  Rotational.Torque torque;
  Blocks.Ramp ramp(height = 2, duration = 1);
equation
  connect(body.flange_a, bearing.flange_a);
  connect(torque.flange, body.flange_b);
  connect(ramp.y, torque.tau);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Slips;
END
  run 4 slips.ltm --simulate
  says LT6004
  says "t = 0.5 s"
  [ "$(rows Slips_res.csv)" -ge 5 ] || fail "the rows so far are missing"
}

blocked_motion() {
  cat >pressed.ltm <<'END'
model Pressed
  Rotational.Inertia body(J = 2);
  Rotational.HardStop left(half_freeplay = 0.2), right(half_freeplay = 0.2);
  Rotational.Position drive;
  Rotational.Fixed wall;
equation
  drive.phi_ref = time^2;
  connect(drive.flange, left.flange_a);
  connect(left.flange_b, body.flange_a);
  connect(body.flange_b, right.flange_a);
  connect(right.flange_b, wall.flange);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Pressed;
END
  run 4 pressed.ltm --simulate
  says "error[LT6007]: prescribed motions close in on the hard stops 'left', 'right' at t = 0.632455532 s"
  [ "$(rows Pressed_res.csv)" -ge 6 ] || fail "the rows so far are missing"
  cat >alone.ltm <<'END'
model Alone
  Rotational.HardStop stop(half_freeplay = 0.25);
  Rotational.Position drive;
  Rotational.Fixed wall;
equation
  drive.phi_ref = time^2;
  connect(drive.flange, stop.flange_a);
  connect(stop.flange_b, wall.flange);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Alone;
END
  run 4 alone.ltm --simulate
  says "alone.ltm:2:23: error[LT6007]: prescribed motions close the hard stop 'stop' at t = 0.5 s"
}

# Deflections of 1e-3 rad at an angle of 1e12 have no digits: the result is there, and a warning.
energy_that_does_not_balance() {
  cat >far.ltm <<'END'
model Far
  Rotational.Inertia a(J = 1, phi(start = 1e12)), b(J = 1, phi(start = 1e12), w(start = 0.1));
  Rotational.Spring shaft(k = 1e4);
equation
  connect(a.flange_b, shaft.flange_a);
  connect(shaft.flange_b, b.flange_a);
end Far;
END
  run 0 far.ltm --simulate --quiet --stop 10
  says "warning[LT6008]: the energy of the run does not balance: "
  [ "$(rows Far_res.csv)" -ge 500 ] || fail "the rows are missing"
  # What rounding moves at rest, 1e-45 J, needs no balance.
  cat >still.ltm <<'END'
model Still
  Rotational.Inertia b0(J = 2048), b1(J = 2048), b2(J = 2048);
  Rotational.CrossFriction e0(tau0 = 256), e1(tau0 = 256);
  Rotational.BearingFriction e2(tau0 = 256);
  Rotational.Torque load(tau = 256);
equation
  connect(e0.flange_a, b1.flange_a);
  connect(e0.flange_b, b0.flange_a);
  connect(e1.flange_a, b2.flange_a);
  connect(e1.flange_b, b1.flange_a);
  connect(e2.flange_a, b2.flange_a);
  connect(load.flange, b2.flange_a);
end Still;
END
  run 0 still.ltm --simulate --quiet --stop 1
  says_not LT6008
}

# What frictions in series on a massless body hold together is decided by accelerations, which a step
# of finite length does not tell from velocities.
series_by_euler() {
  cat >sheet.ltm <<'END'
model Sheet
  Translational.Mass body(m = 1, v(start = 2));
  Translational.Mass sheet(m = 0);
  Translational.CrossFriction upper(f0 = 3);
  Translational.SupportFriction lower(f0 = 2);
equation
  connect(body.flange_b, upper.flange_a);
  connect(upper.flange_b, sheet.flange_a);
  connect(sheet.flange_b, lower.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Sheet;
END
  run 1 sheet.ltm --simulate --solver euler --step 1e-4
  says "frictions in series on bodies without inertia and damping, as 'upper' is"
  run 0 sheet.ltm --simulate
}

# The size of a friction is zero after 1 s, and negative from then on.
negative_friction() {
  cat >brake.ltm <<'END'
model Shoe
  extends Rotational.Interfaces.TwoFlanges;
  parameter Units.Torque full = 2;
equation
  tau = dryfriction(w_rel, full*(1 - time), full*(1 - time));
end Shoe;
model Wheel
  Rotational.Inertia wheel(J = 1, w(start = 3));
  Rotational.Fixed frame;
  Shoe shoe;
equation
  connect(frame.flange, shoe.flange_a);
  connect(shoe.flange_b, wheel.flange_a);
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Wheel;
END
  run 4 brake.ltm --simulate
  says "brake.ltm:10:8: error[LT6005]: the kinetic friction of 'shoe' becomes negative at t = 1 s"
  says "shoe.tau = dryfriction(shoe.w_rel"
  [ "$(rows Wheel_res.csv)" -ge 11 ] || fail "the rows so far are missing"
}

# From 0.8 s on a load of 1.2 N.m is above the static friction of 2 - t, and below the kinetic one of 1.5.
weak_at_rest() {
  cat >pad.ltm <<'END'
model Pad
  extends Rotational.Interfaces.TwoFlanges;
equation
  tau = dryfriction(w_rel, 1.5, 2 - time);
end Pad;
model Wheel
  Rotational.Inertia wheel(J = 1);
  Rotational.Fixed frame;
  Rotational.Torque motor;
  Blocks.Constant load(k = 1.2);
  Pad pad;
equation
  connect(load.y, motor.tau);
  connect(motor.flange, wheel.flange_a);
  connect(frame.flange, pad.flange_a);
  connect(pad.flange_b, wheel.flange_b);
  annotation(experiment(StopTime = 1.5, Interval = 0.1));
end Wheel;
END
  for solver in taylor cvode; do
    run 4 pad.ltm --simulate --solver $solver
    says "error[LT6006]: the static friction of 'pad' is below the kinetic one at t = 0.8"
    [ "$(rows Wheel_res.csv)" -ge 9 ] || fail "the rows so far are missing"
  done
  run 0 pad.ltm --simulate --set load.k=0.4 # holds all the same: it stays below 0.5
}

# Both sides of x = 0 lead back to it.
event_storm() {
  cat >chatter.ltm <<'END'
model Chatter
  Real x(start = 1);
equation
  der(x) = if x > 0 then -1 else 1;
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Chatter;
END
  run 4 chatter.ltm --simulate
  says LT6003
  says "t = 1 s"
  [ "$(rows Chatter_res.csv)" -ge 10 ] || fail "the rows so far are missing"
  says "'x' is, in the modes visited last: positive, not positive, positive, not positive"
  files Chatter_res.csv chatter.ltm
}

# A relay that drives the body on, whichever way it slips.
friction_storm() {
  cat >relay.ltm <<'END'
model Relay
  Rotational.Inertia load(J = 0.1, w(start = 1));
  Rotational.Torque motor;
  Rotational.BearingFriction bearing(tau0 = 0.5);
equation
  motor.tau = if load.w > 0 then -2 else 2;
  connect(motor.flange, load.flange_a);
  connect(bearing.flange_a, load.flange_b);
  annotation(experiment(StopTime = 20, Interval = 0.1));
end Relay;
END
  run 4 relay.ltm --simulate
  says "error[LT6003]: events without end in one instant at t = 0.04 s"
  says "they come from 'bearing'"
  says "'bearing' is, in the modes visited last: slips forwards, slips backwards, slips forwards"
}

library_option_and_environment() {
  mkdir -p own/Shop other/Shop
  printf 'within Shop;\nmodel Part\n  extends Rotational.Inertia(J = 2);\nend Part;\n' >own/Shop/Part.ltm
  printf 'model M\n  Shop.Part p;\n  Rotational.Spring s(k = 1);\n  Rotational.Fixed f;\nequation\n  connect(p.flange_b, s.flange_a);\n  connect(s.flange_b, f.flange);\nend M;\n' >m.ltm
  run 2 m.ltm --check
  says LT2001
  run 0 m.ltm --check --library own
  run 0 m.ltm --check --library other --library own
  LTM_PATH=/nowhere:own run 0 m.ltm --check
  cp -r own/Shop .
  run 0 m.ltm --check # the folder of the file itself
}

installed_command() {
  cmake --install "$build" --prefix "$folder/prefix" >log.txt 2>&1 || fail "install: $(cat log.txt)"
  [ -f prefix/share/luztar/library/Rotational/Inertia.ltm ] || fail "no library installed"
  [ -n "$(find prefix -name LICENSE)" ] || fail "no license installed"
  model wheel.ltm
  # It runs from anywhere with the library installed beside it, not with that of the sources.
  mv prefix moved
  printf 'within Rotational;\nmodel Installed\n  extends Inertia;\nend Installed;\n' \
    >moved/share/luztar/library/Rotational/Installed.ltm
  sed -i 's/Rotational.Inertia/Rotational.Installed/' wheel.ltm
  ltc=$folder/moved/bin/ltc
  run 0 wheel.ltm --simulate
  [ -f Wheel_res.csv ] || fail "no result"
}

# Every example of the library runs, except fragments without an experiment.
examples_run() {
  local example count=0
  for example in "$project"/library/examples/[a-z]*.ltm; do
    run 0 "$example" --simulate --quiet
    run 0 "$example" --simulate --solver euler --step 1e-4 --quiet
    # The flat text is a model with the same trajectory.
    run 0 "$example" --simulate --quiet -o example.csv
    "$ltc" "$example" --emit flat >flat.ltm || fail "no flat text of $example"
    run 0 flat.ltm --simulate --quiet -o flat.csv
    cmp -s example.csv flat.csv || fail "the flat text of $example moves differently"
    count=$((count + 1))
  done
  [ "$count" -ge 5 ] || fail "only $count examples"
  [ -z "$(find . -name '.ltc-*')" ] || fail "temporary files are left"
}

"$case_name"
exit $((failures > 0))
