/**
 * Codex as the fifth seed's test has it: it creates a rollout, writes some entries, then the ask, and waits to be
 * killed. It asks about the word behind `ASK` in its prompt, unless the prompt has an answer. What it gets is kept in
 * the folder that `FAKE_FOLDER` names.
 */
export const FAKE_CODEX = `#!/bin/sh
prompt=$(cat)
number=1
while ! mkdir "$FAKE_FOLDER/$number" 2>/dev/null; do number=$((number + 1)); done
printf '%s' "$prompt" > "$FAKE_FOLDER/$number/prompt"
echo "$*" > "$FAKE_FOLDER/$number/args"
thread="019a0000-0000-7000-8000-$(printf '%012d' $$)"
case " $* " in *" resume "*) thread=$(cat "$FAKE_FOLDER/thread") ;; esac
echo "$thread" > "$FAKE_FOLDER/thread"
folder="$CODEX_HOME/sessions/2026/11/20"
mkdir -p "$folder"
rollout="$folder/rollout-2026-11-20T08-00-00-$thread.jsonl"
now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
record() { printf '{"timestamp":"%s","type":"%s","payload":%s}\\n' "$now" "$1" "$2" >> "$rollout"; }
[ -e "$rollout" ] ||
  record session_meta "{\\"id\\":\\"$thread\\",\\"cwd\\":\\"$PWD\\",\\"timestamp\\":\\"$now\\",\\"source\\":\\"exec\\"}"
echo "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"$thread\\"}"
record event_msg '{"type":"task_started","turn_id":"t1"}'
record response_item '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Looking around."}]}'
word=$(printf '%s\\n' "$prompt" | sed -n 's/^ASK \\([a-z]*\\)$/\\1/p' | head -n 1)
case "$prompt" in *"of the person to it"* | *"in place of the person, to it"*) word= ;; *"YOUR STEP IS THE TASK"*) ;; *) word= ;; esac
if [ -n "$word" ]; then
  record response_item "{\\"type\\":\\"function_call\\",\\"name\\":\\"exec_command\\",\\"call_id\\":\\"c1\\",\\"arguments\\":\\"{\\\\\\"cmd\\\\\\":\\\\\\"cat-herder ask 'Which $word?'\\\\\\"}\\"}"
  exec sleep 600
fi
touch "done-$number"
record event_msg '{"type":"task_complete","turn_id":"t1","last_agent_message":"All done."}'
echo '{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":10,"output_tokens":5}}'
`;
