#!/bin/sh
# Tests slug.sh: prints each title for which it does not print the expected text, and then exits with 1.
failed=0
check() {
  actual=$(sh slug.sh "$1")
  [ "$actual" = "$2" ] && return
  echo "slug.sh \"$1\": expected \"$2\", but it printed \"$actual\""
  failed=1
}
check "Hello World" "hello-world"
check "Hello,   World!" "hello-world"
check "  Spaces around  " "spaces-around"
check "C++ and C#" "c-and-c"
check "2026: a year" "2026-a-year"
exit $failed
