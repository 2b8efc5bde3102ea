#!/bin/sh
# Installs panewright for the person who runs this: downloads the executable for this system, checks its SHA-256 and puts
# it in place. It needs no root, and curl or wget.
#
#   install.sh [--version X.Y.Z] [--to FOLDER] [--checksum SHA256] [--from URL]
#
# --version   the release to install; without it the newest one
# --to        the folder for the executable; without it ~/.local/bin
# --checksum  the SHA-256 that the archive must have; without it the one in the release's SHA256SUMS
# --from      the folder with the release's files, in place of the project's releases: https://, file://, or http:// on
#             this machine
set -eu

# A release fills this in.
repository='@REPOSITORY@'

fail() {
  printf 'Cannot install panewright: %s\n' "$1" >&2
  if [ "$#" -gt 1 ]; then printf '  %s\n' "$2" >&2; fi
  exit "${3:-1}"
}

target() {
  system=$(uname -s) machine=$(uname -m)
  case "$system $machine" in
    'Linux x86_64') echo x86_64-unknown-linux-gnu ;;
    'Linux aarch64' | 'Linux arm64') echo aarch64-unknown-linux-gnu ;;
    'Darwin x86_64') echo x86_64-apple-darwin ;;
    'Darwin arm64') echo aarch64-apple-darwin ;;
    *) fail "there is no executable for $system on $machine" \
      'There are some for Linux (on Windows: in WSL) and macOS, each on x86_64 and ARM64.' ;;
  esac
}

# Writes what is at $1 to the file $2.
download() {
  case "$1" in
    https://*) protocol='=https' ;;
    # Before the sign stands a name, not the machine.
    http://*@*) fail "$1 is not an https address" ;;
    http://127.0.0.1[:/]* | http://localhost[:/]* | 'http://[::1]'[:/]*) protocol='=http' ;;
    file:///*)
      cp -- "${1#file://}" "$2" || fail "${1#file://} could not be read"
      return
      ;;
    *) fail "$1 is not an https address" ;;
  esac
  if command -v curl >/dev/null; then
    curl --fail --silent --show-error --location --proto "$protocol" --proto-redir "$protocol" --output "$2" -- "$1"
  elif command -v wget >/dev/null; then
    wget -q -O "$2" "$1"
  else
    fail 'there is neither curl nor wget' 'Install one of them.'
  fi || fail "$1 could not be downloaded"
}

sha256() {
  if command -v sha256sum >/dev/null; then sha256sum <"$1"
  elif command -v shasum >/dev/null; then shasum -a 256 <"$1"
  fi | cut -d ' ' -f 1
}

main() {
  version='' folder='' checksum='' from=''
  while [ "$#" -gt 0 ]; do
    case "$1" in
      --version | --to | --checksum | --from)
        if [ "$#" -lt 2 ] || [ -z "$2" ]; then fail "$1 needs a value" '' 2; fi
        ;;
      *) fail "unknown argument $1" 'The arguments are --version, --to, --checksum and --from.' 2 ;;
    esac
    case "$1" in
      --version) version=${2#v} ;;
      --to) folder=$2 ;;
      --checksum) checksum=$2 ;;
      --from) from=${2%/} ;;
    esac
    shift 2
  done
  if [ -z "$folder" ]; then
    if [ -z "${HOME:-}" ]; then fail 'HOME is not set' 'Name a folder: --to FOLDER' 2; fi
    folder=$HOME/.local/bin
  fi
  case "$version" in *[!0-9A-Za-z.+-]*) fail "$version is not a version" '' 2 ;; esac
  if [ -z "$from" ]; then
    case "$repository" in @*) fail 'this copy does not know where the releases are' 'Name their folder: --from URL' 2 ;; esac
    from=https://github.com/$repository/releases
    if [ -n "$version" ]; then from=$from/download/v$version; else from=$from/latest/download; fi
  fi

  case "$folder" in /*) ;; *) folder=$PWD/$folder ;; esac

  # A command substitution keeps its failure only as an assignment of its own.
  triple=$(target)
  archive=panewright-$triple.tar.gz
  mkdir -p "$folder" || fail "the folder $folder cannot be made" 'Name another one: --to FOLDER'
  if [ -d "$folder/panewright" ]; then fail "$folder/panewright is a folder" 'Name another place: --to FOLDER'; fi
  # Where it is to run, it is tried, too: from a folder for temporary files nothing may be run on many systems.
  staging=$(mktemp -d "$folder/.panewright.XXXXXX") || fail "$folder cannot be written" 'Name another folder: --to FOLDER'
  trap 'rm -rf "$staging"' EXIT
  trap 'exit 129' HUP
  trap 'exit 130' INT
  trap 'exit 143' TERM
  download "$from/$archive" "$staging/$archive"
  if [ -z "$checksum" ]; then
    download "$from/SHA256SUMS" "$staging/SHA256SUMS"
    checksum=$(awk -v name="$archive" '$2 == name || $2 == "*" name { print $1 }' "$staging/SHA256SUMS")
  fi
  found=$(sha256 "$staging/$archive")
  if [ -z "$found" ]; then fail 'there is neither sha256sum nor shasum to check the download' 'Install one of them.'; fi
  if [ "${#found}" -ne 64 ] || [ "$found" != "$checksum" ]; then
    fail "$archive is not what the release says: its SHA-256 is $found, not ${checksum:-there}" 'Nothing was installed.'
  fi

  # With -o it belongs to whoever installs it, also to root.
  tar -xozf "$staging/$archive" -C "$staging" panewright || fail "$archive cannot be unpacked"
  chmod 755 "$staging/panewright"
  shown=$("$staging/panewright" --version) || fail 'the executable does not run on this system' \
    'On Linux it needs glibc, and a folder from which programs may be run. Nothing was installed.'
  case "$version" in
    '') ;;
    *) case "$shown" in "panewright $version "*) ;; *) fail "this is $shown, not $version" 'Nothing was installed.' ;; esac ;;
  esac
  # A panewright that is there is replaced whole or not at all.
  mv -f "$staging/panewright" "$folder/panewright" || fail "$folder/panewright cannot be replaced"
  printf '%s\ninstalled as %s\n' "$shown" "$folder/panewright"
  case ":$PATH:" in
    *":$folder:"*) ;;
    *) printf 'Add %s to PATH to call it by its name.\n' "$folder" ;;
  esac
}

# The last line, so that a download that was cut off does nothing.
main "$@"
