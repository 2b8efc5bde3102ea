#!/bin/sh
# Counts the words of a file: `sh count.sh FILE`.
wc -w <"$1" | tr -d ' '
