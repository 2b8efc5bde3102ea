#!/bin/sh
# Tests text.sh. Each task adds its own line.
printf 'one two\nthree\n' >words.tmp
trap 'rm -f words.tmp' EXIT
is() { actual=$(sh text.sh "$2" words.tmp); [ "$actual" = "$1" ] || { echo "$2: expected $1, but it printed $actual"; exit 1; }; }
is 3 words
