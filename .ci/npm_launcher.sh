#!/bin/sh
# Starts panewright with the Deno that npm installed with it, in this same process: signals, exit code and standard
# input are its own.
set -u

self=$(readlink -f -- "$0") || exit 2
package=${self%/bin/panewright}

# Sets deno to the program of the package deno in the folder "$1": that for this system, which npm has put into the
# package or beside it, whether or not npm ran scripts. What they leave in the package itself is for the system on which
# it was installed, and in a copied folder for another one.
find_deno() {
  case $(uname -s -m) in
  'Linux x86_64') system=linux-x64-glibc ;;
  'Linux aarch64') system=linux-arm64-glibc ;;
  'Darwin x86_64') system=darwin-x64 ;;
  'Darwin arm64') system=darwin-arm64 ;;
  *) return 1 ;;
  esac
  for deno in "$1/node_modules/@deno/$system/deno" "$1/../@deno/$system/deno"; do
    [ ! -x "$deno" ] || return 0
  done
  deno=$1/deno
  [ -x "$deno" ] && "$deno" --version >/dev/null 2>&1
}

# npm puts it into the package, beside it, or beside one that depends on it; into no other folder above.
folder=$package
found=$package/node_modules/deno
while [ ! -d "$found" ] && [ -n "$folder" ]; do
  folder=${folder%/*}
  case $folder in */node_modules) found=$folder/deno ;; esac
done
if ! find_deno "$found"; then
  printf 'panewright: Cannot start: its Deno is not installed, or not for this system\n' >&2
  printf '  Install the package again, with its optional dependencies. It runs on Linux with glibc and on macOS.\n' >&2
  exit 2
fi
export DENO_NO_UPDATE_CHECK=1
exec "$deno" @RUN_ARGS@ "$package/panewright.mjs" "$@"
