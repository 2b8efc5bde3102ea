#!/bin/sh
# Tests count.sh.
printf 'one two\nthree\n' >words.tmp
actual=$(sh count.sh words.tmp)
rm words.tmp
[ "$actual" = 3 ] || { echo "expected 3, but it printed $actual"; exit 1; }
