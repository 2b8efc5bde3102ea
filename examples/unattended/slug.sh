#!/bin/sh
# Turns a title into a part of a web address: `sh slug.sh "Hello World"` prints hello-world.
printf '%s\n' "$1" | tr '[:upper:] ' '[:lower:]-'
