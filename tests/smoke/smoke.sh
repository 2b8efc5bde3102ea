#!/bin/sh
# Tries one form in which a person gets panewright, on a system that needs nothing but a POSIX shell and tmux:
#
#     sh tests/smoke/smoke.sh COMMAND [ARG…]
#
# COMMAND starts panewright: the executable, the npm package's, or Deno with the bundle. Each check is a line of
# standard output. The exit code is 0 if all hold, 1 at the first that does not, with what the program wrote.
set -eu

[ $# -gt 0 ] || { echo "usage: sh $0 COMMAND [ARG…], which starts panewright" >&2; exit 2; }

# Not in TMPDIR: on macOS its path is so long that no socket of tmux fits below it.
root=$(mktemp -d "/tmp/panewright smoke.XXXXXX")
background=''
clean_up() {
  [ -z "$background" ] || kill -9 "$background" 2>/dev/null || true
  rm -rf -- "$root"
}
trap clean_up EXIT
trap 'exit 130' HUP INT TERM
mkdir "$root/home" "$root/work" "$root/tmp" "$root/tmux"
# Deno would look for one above the program's folder, where everybody may have a file.
echo '{ not a config' >"$root/home/deno.json"

# A program or a file that is named by a relative path is found from here only.
case $1 in
*/*)
  program=$(cd -- "$(dirname -- "$1")" && pwd)/$(basename -- "$1")
  shift
  set -- "$program" "$@"
  ;;
esac
# A home that nobody has used, and nothing of this environment but what tells how to show and find things.
set -- env -i ${LANG+"LANG=$LANG"} "HOME=$root/home" "PATH=$PATH" TERM=xterm "TMPDIR=$root/tmp" \
  "TMUX_TMPDIR=$root/tmux" "$@"
cd -- "$root/work"

checks=0
# Ends the check "$1": the condition that the other arguments are must hold.
check() {
  words=$1
  shift
  if ! "$@"; then
    printf 'FAILED  %s\n--- exit code %s\n--- stdout\n' "$words" "$code"
    cat "$root/stdout"
    echo '--- stderr'
    cat "$root/stderr"
    exit 1
  fi
  checks=$((checks + 1))
  printf 'ok      %s\n' "$words"
}
# Runs a command to its end. What it wrote is then in two files.
run() {
  code=0
  "$@" >"$root/stdout" 2>"$root/stderr" || code=$?
}
ended_with() { [ "$code" -eq "$1" ]; }
is_silent() { [ ! -s "$root/$1" ]; }
says() { grep -q -- "$2" "$root/$1"; }

run "$@" --version
check '--version ends with 0' ended_with 0
check '--version says the version' says stdout '^panewright [0-9][0-9.]* (deno '
check '--version writes nothing to stderr' is_silent stderr

run "$@" help
check 'help ends with 0' ended_with 0
check 'help lists the commands' says stdout 'demo'

odd="oneword,'quotes',\$a,*,and\\"
run "$@" "$odd"
check 'a wrong command ends with 2' ended_with 2
check 'an argument arrives as it is' grep -qF -- "Cannot run \"$odd\": no such command" "$root/stderr"
check 'an error leaves stdout alone' is_silent stdout

echo '{ "permissions": { "deny": ["git push"], "default": "ask" } }' >policy.jsonc
printf 'git push\0' >subjects
code=0
"$@" permissions test --json --null --config policy.jsonc <subjects >"$root/stdout" 2>"$root/stderr" || code=$?
check 'a command reads its standard input' says stdout '"decision":"deny".*"subject":"git push"'

# Once the first file is told of, the program reads a pipe to which nobody writes.
echo 'a screen' >screen.txt
mkfifo pipe lines
"$@" explain --provider codex screen.txt pipe >lines 2>"$root/stderr" &
background=$!
exec 3<lines
read -r line <&3 || true
printf '%s\n' "$line" >"$root/stdout"
kill -TERM "$background"
code=0
wait "$background" || code=$?
background=''
exec 3<&-
check 'SIGTERM reaches the program, which ends with 143' ended_with 143
check 'and says so' says stderr 'interrupted by SIGTERM'

run "$@" doctor
check 'doctor finds tmux' says stdout 'ok .*tmux'
check 'doctor tells what it found by its exit code' [ "$code" -le 1 ]

run "$@" demo
check 'demo ends with 0' ended_with 0
check 'demo shows a job that passes in two rounds' says stdout '^✓ PASS .* 2 rounds'
no_server() {
  for socket in "$root"/tmux/*/*; do
    if tmux -S "$socket" list-sessions >/dev/null 2>&1; then return 1; fi
  done
}
check 'demo leaves no tmux server' no_server
check 'demo leaves no folder' [ -z "$(ls "$root/tmp")" ]

# The parts that are loaded only for an agent that speaks the Agent Client Protocol.
cat >agent <<'AGENT'
#!/bin/sh
while read -r line; do
  id=${line#*'"id":'}
  start="{\"jsonrpc\":\"2.0\",\"id\":${id%%,*}"
  case $line in
  *'"method":"initialize"'*) printf '%s,"result":{"protocolVersion":1}}\n' "$start" ;;
  *'"method":"session/new"'*) printf '%s,"result":{"sessionId":"smoke"}}\n' "$start" ;;
  *'"method":"session/prompt"'*)
    echo done >made.txt
    printf '%s,"result":{"stopReason":"end_turn"}}\n' "$start"
    ;;
  esac
done
AGENT
chmod +x agent
cat >acp.jsonc <<'CONFIG'
{
  "providers": { "acp": { "command": ["./agent"] } },
  "provider": "acp",
  "pipelines": { "main": [{ "name": "work", "prompt": "self", "check": { "type": "none" } }] }
}
CONFIG
echo 'Make a file.' >task.md
run "$@" exec --config acp.jsonc --trust task.md
check 'exec with an agent over the Agent Client Protocol ends with 0' ended_with 0
check 'the agent has done its work' [ -f made.txt ]

printf '%s checks passed\n' "$checks"
