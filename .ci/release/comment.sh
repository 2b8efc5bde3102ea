#!/usr/bin/env bash
# Comments on the pull request $PULL_REQUEST with what "panewright $1" says, after the line "$2" where there is one.
set -euo pipefail

said=$(panewright "$1" --color never)
# What agents have written is text: no line of it ends the fence.
fence='```'
while [[ $said == *"$fence"* ]]; do fence+='`'; done
printf '%s\n' ${2:+"$2"} "${fence}text" "$said" "$fence" "$JOB_RUN" | gh pr comment "$PULL_REQUEST" --body-file -
