#!/bin/sh
# Counts what is in a file: `sh text.sh words FILE`.
case $1 in
words) wc -w <"$2" | tr -d ' ' ;;
*) echo "no such command: $1" >&2; exit 2 ;;
esac
