#!/usr/bin/env bash
# Installs the Debian packages of one set that are missing; does nothing where none is.
#
# Usage: install_packages.sh build|develop
# Needs root or sudo only if something is missing; without either, says what to install.
set -euo pipefail

missing=()
need() {  # need COMMAND-OR-FILE PACKAGE
  if [[ $1 == /* ]]; then
    [[ -e $1 ]] || missing+=("$2")
  else
    command -v "$1" >/dev/null || missing+=("$2")
  fi
}

case ${1:-} in
  build)
    need g++ g++
    need git git
    if ! command -v python3 >/dev/null; then
      missing+=(python3-dev python3-venv)
    else
      python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        { echo "Python 3.11 or newer is needed; $(python3 --version) is what python3 runs" >&2; exit 1; }
      python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
      need "$(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h" python3-dev
    fi
    ;;
  develop)
    need /usr/include/gtest/gtest.h libgtest-dev
    need clang-format-19 clang-format-19
    need clang-tidy-19 clang-tidy-19
    need /usr/lib/llvm-19/bin/clang clang-19  # what tinygrad compiles with on a CPU
    need ccache ccache
    need /usr/lib/llvm-19/bin/ld.lld lld-19
    ;;
  *)
    echo "usage: $0 build|develop" >&2
    exit 2
    ;;
esac

[[ ${#missing[@]} -gt 0 ]] || exit 0
if [[ $(id -u) == 0 ]]; then
  as_root=()
elif command -v sudo >/dev/null; then
  as_root=(sudo)
else
  echo "missing packages, and neither root nor sudo: apt-get install ${missing[*]}" >&2
  exit 1
fi
echo "installing ${missing[*]}"
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
