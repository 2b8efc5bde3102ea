#!/bin/sh
# panewright @VERSION@ for @TARGET@, in one file: this script, and behind it the parts of the program, compressed.
# The first start unpacks them into the user's cache; every start runs them from there.
set -u

name='@NAME@'
checksum='@CHECKSUM@'

# Whether the folder "$1" is this user's own, so that nobody else has put anything into it.
is_own() {
  # shellcheck disable=SC3067 # dash, bash, zsh and busybox know -O
  [ -O "$1" ] && [ ! -h "$1" ]
}

# Whether the program is unpacked in the folder "$1".
is_ready() {
  # An empty program would be one that does nothing, and ends well.
  is_own "$1" && is_own "$1/$name" && [ -x "$1/$name/deno" ] && [ -s "$1/$name/deno" ] &&
    [ -s "$1/$name/panewright.mjs" ] && [ -s "$1/$name/panewright-hook.mjs" ] && [ -s "$1/$name/panewright-sandbox.mjs" ]
}

# Becomes the program that is unpacked in the folder "$1", with the other arguments.
start() {
  place=$1/$name
  shift
  # In the folder for temporary files the runtime keeps what it has compiled as well: a start then takes half as long.
  [ "$place" != "$temporary/$name" ] || export DENO_DIR="${DENO_DIR:-$temporary/deno}"
  export DENO_NO_UPDATE_CHECK=1 PANEWRIGHT_PACKED_FILE="$0"
  exec "$place/deno" @RUN_ARGS@ "$place/panewright.mjs" "$@"
}

# Ends with the reason "$1" and the advice "$2".
fail() {
  printf 'panewright: Cannot start: %s\n  %s\n' "$1" "$2" >&2
  exit 2
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum; else shasum -a 256; fi
}

# Writes the file "$1" from the part of this file that begins at byte "$2" and is "$3" bytes long.
part() {
  # shellcheck disable=SC2317 # it is called where the list of parts stands below
  tail -c "+$2" -- "$self" | head -c "$3" | gzip -dc >"$1" || exit 1
}

# Unpacks into the folder "$1". The files get their names last, as a whole, and the runtime the last of all.
unpack() (
  umask 077
  place=$1/$name
  for folder in "$1" "$place"; do
    mkdir -p -- "$folder" || exit 1
    if ! is_own "$folder"; then echo "$folder is a link, or belongs to somebody else" && exit 1; fi
    chmod 700 -- "$folder" || exit 1
  done
  stage=$(mktemp -d "$place/new.XXXXXX") || exit 1
  trap 'rm -rf -- "$stage"' EXIT
  trap 'exit 1' HUP INT TERM
  cd -- "$stage" || exit 1
@PARTS@
  chmod 700 deno || exit 1
  answer=$(./deno --version 2>&1) || { echo "it does not run from there: $answer" && exit 1; }
  sync -- * 2>/dev/null || sync
  mv -f -- panewright.mjs panewright-hook.mjs panewright-sandbox.mjs "$place" && mv -f -- deno "$place" || exit 1
  # What a killed first start has left; one that runs now finds the files that it was about to make.
  rm -rf -- "$place"/new.*
)

temporary=''
cache=''
case ${XDG_CACHE_HOME:-},${HOME:-} in
/*) cache=$XDG_CACHE_HOME/panewright ;;
*,/*)
  # Not in another user's home, such as the one that sudo has left in HOME: that user could not use it.
  # shellcheck disable=SC3067 # as above
  if [ -O "$HOME" ]; then cache=$HOME/.cache/panewright; fi
  ;;
esac
if is_ready "$cache"; then start "$cache" "$@"; fi

missing=''
for program in chmod gzip head id mkdir mktemp mv rm sync tail; do
  command -v "$program" >/dev/null || missing="$missing $program"
done
command -v sha256sum >/dev/null || command -v shasum >/dev/null || missing="$missing sha256sum"
[ -z "$missing" ] || fail "programs that unpack it are missing:$missing" \
  'Install them (Debian: apt-get install coreutils gzip), or add their folder to PATH.'

# For a cache that cannot be written, or from which nothing can be run.
case ${TMPDIR:-} in /*) temporary=$TMPDIR ;; *) temporary=/tmp ;; esac
temporary=$temporary/panewright-$(id -u)
if is_ready "$temporary"; then start "$temporary" "$@"; fi

case $0 in /*) self=$0 ;; *) self=$PWD/$0 ;; esac
case $(tail -c +@FIRST_BYTE@ -- "$self" | sha256) in
"$checksum "*) ;;
*) fail "$self is damaged: its contents do not have the checksum that it names" 'Download or build it again.' ;;
esac
reasons=''
for folder in "$cache" "$temporary"; do
  [ -n "$folder" ] || continue
  if [ -t 2 ]; then printf 'panewright: first start: unpacking into %s\n' "$folder" >&2; fi
  reason=$(unpack "$folder" 2>&1)
  if is_ready "$folder"; then start "$folder" "$@"; fi
  # shellcheck disable=SC2086 # in one line
  reason=$(set -f && echo $reason)
  reasons="$reasons
  $folder: $reason"
done
fail "it can be unpacked nowhere, or does not run there:$reasons" \
  'It is for @TARGET@, and needs a folder to write to and run from: name one with XDG_CACHE_HOME=/path'
