# Sourced by scripts/ltc and scripts/test: what a build needs, and how it comes about.
# Sets project_dir; every message goes to standard error.

project_dir=$(cd -- "$(dirname -- "$(readlink -f -- "${BASH_SOURCE[0]}")")/.." && pwd -P)

# Debian 12 packages; the reason for each is in README.md.
build_packages=(
  antlr4
  cmake
  g++
  libantlr4-runtime-dev
  libcli11-dev
  libeigen3-dev
  libfmt-dev
  libsundials-dev
  llvm-19-dev
  ninja-build
  nlohmann-json3-dev
)
test_packages=(
  clang-19
  doctest-dev
  libclang-rt-19-dev
  libomp-19-dev
  librapidcheck-dev
)

# Not one of ltc's own exit codes (EX_UNAVAILABLE of sysexits.h).
readonly setup_failed=69

say() { printf '%s\n' "$*" >&2; }

# missing_packages NAME...: prints those that are not installed.
missing_packages() {
  local installed name
  installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "$@" 2>/dev/null)
  for name in "$@"; do
    grep -qxF "$name installed" <<<"$installed" || printf '%s\n' "$name"
  done
}

# install_packages NAME...
install_packages() {
  local install=(apt-get install -y -q --no-install-recommends "$@")
  if [ "$(id -u)" -ne 0 ]; then
    say "These Debian packages are missing: $*"
    say "Install them, then run this again:"
    say "  sudo apt-get update && sudo apt-get install --no-install-recommends $*"
    exit "$setup_failed"
  fi
  say "Installing Debian packages: $*"
  export DEBIAN_FRONTEND=noninteractive
  # The Java runtime that antlr4 needs links its manual pages, which slim images have no folder for.
  mkdir -p /usr/share/man/man1
  # The package lists may be absent or out of date: fetch them only when they prove to be.
  if ! "${install[@]}" </dev/null >&2; then
    apt-get update -q </dev/null >&2 || exit "$setup_failed"
    "${install[@]}" </dev/null >&2 || exit "$setup_failed"
  fi
}

# need_packages NAME...: installs what is missing; asks dpkg only when its database changed since the last time.
need_packages() {
  if ! command -v dpkg-query >/dev/null; then
    say "This is not a Debian system: these packages or their like must be there: $*"
    return
  fi
  local stamp="$project_dir/build/.packages-$#" missing
  if [ -f "$stamp" ] && [ ! /var/lib/dpkg/status -nt "$stamp" ] &&
    [ "$(cat "$stamp")" = "$*" ]; then
    return
  fi
  missing=$(missing_packages "$@")
  # shellcheck disable=SC2086  # one package a line, no blanks in names
  [ -z "$missing" ] || install_packages $missing
  printf '%s' "$*" >"$stamp"
}

# build_preset PRESET [TARGET...]: configures once, then builds what changed.
build_preset() {
  local preset=$1 dir="$project_dir/build/$1"
  shift
  if [ -f "$dir/CMakeCache.txt" ] &&
    ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$project_dir" "$dir/CMakeCache.txt"; then
    rm -f "$dir/build.ninja" # the checkout was moved
  fi
  # CMake sees changes in CMakeLists.txt by itself, but not in the presets; another compiler needs a fresh start.
  if [ ! -f "$dir/build.ninja" ] || [ "$project_dir/CMakePresets.json" -nt "$dir/build.ninja" ]; then
    say "Configuring $dir"
    if ! (cd "$project_dir" && cmake --preset "$preset" --fresh) </dev/null >"$project_dir/build/$preset.log" 2>&1; then
      cat "$project_dir/build/$preset.log" >&2
      exit "$setup_failed"
    fi
    say "Building $dir (this takes a few minutes the first time)"
  fi
  ninja --quiet -C "$dir" "$@" </dev/null | grep -vxF 'ninja: no work to do.' >&2
  [ "${PIPESTATUS[0]}" -eq 0 ] || exit "$setup_failed"
}

# One set-up at a time, also when several commands start at once.
mkdir -p "$project_dir/build" || exit "$setup_failed"
lock_setup() {
  exec 9>"$project_dir/build/.lock"
  flock 9
}
unlock_setup() { exec 9>&-; }
