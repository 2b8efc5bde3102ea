import { assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { panewrightFromSource, parseEvents } from "../../support/panewright.ts";
import { runProgram } from "../../support/program.ts";
import { createSandbox } from "../../support/sandbox.ts";

/** A program that plays Codex: its sandbox as `codex sandbox` shows it, and what its session log says of a turn. */
function fakeCodex(
  options: { readonly outside: boolean; readonly turnContext?: object; readonly hangs?: boolean },
): string {
  const context = options.turnContext === undefined
    ? ""
    : `record turn_context '${JSON.stringify(options.turnContext)}'`;
  return `#!/bin/sh
if [ "$1" = sandbox ]; then
  while [ "$1" != -- ]; do shift; done
  : > "$6"; ${options.outside ? ': > "$7"' : ""}
  exit 0
fi
cat > prompt-seen
folder="$CODEX_HOME/sessions/2026/11/20"; mkdir -p "$folder"
thread="019a0000-0000-7000-8000-$(printf '%012d' $$)"
now=$(date -u +%Y-%m-%dT%H:%M:%S.000Z)
record() { printf '{"timestamp":"%s","type":"%s","payload":%s}\\n' "$now" "$1" "$2" >> "$folder/rollout-2026-11-20T08-00-00-$thread.jsonl"; }
record session_meta "{\\"id\\":\\"$thread\\",\\"cwd\\":\\"$PWD\\",\\"timestamp\\":\\"$now\\",\\"source\\":\\"exec\\"}"
echo "{\\"type\\":\\"thread.started\\",\\"thread_id\\":\\"$thread\\"}"
${context}
${options.hangs === true ? "exec sleep 600" : ""}
record event_msg '{"type":"task_complete","turn_id":"t1","last_agent_message":"All done."}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":0,"output_tokens":1}}'
`;
}

/** A program that plays Claude Code, and answers a question for its settings so. */
function fakeClaude(response: object): string {
  const answer = { type: "control_response", response: { subtype: "success", request_id: "sandbox", response } };
  return `#!/bin/sh\ncat > /dev/null\ncase "$*" in *"--input-format stream-json"*) echo '${
    JSON.stringify(answer)
  }' ;; *) touch prompt-seen ;; esac\n`;
}

const IN_SANDBOX = {
  approval_policy: "never",
  sandbox_policy: { type: "workspace-write", network_access: false, exclude_slash_tmp: true },
};
const OUTSIDE = { approval_policy: "never", sandbox_policy: { type: "danger-full-access" } };

interface Case {
  readonly provider?: "claude_code";
  readonly program: string;
  readonly code: number;
  readonly says: string;
  /** Whether the agent got work before it was refused. */
  readonly worked?: boolean;
}

const CASES: Readonly<Record<string, Case>> = {
  "a Codex that says that each turn is in the sandbox works": {
    program: fakeCodex({ outside: false, turnContext: IN_SANDBOX }),
    code: 0,
    says: "",
    worked: true,
  },
  "a Codex whose sandbox holds nothing gets no work": {
    program: fakeCodex({ outside: true, turnContext: IN_SANDBOX }),
    code: 2,
    says: "Cannot start the agent in a sandbox: that of Codex is not on: a command in it could write to",
  },
  "a Codex whose log says that a turn is outside is stopped": {
    program: fakeCodex({ outside: false, turnContext: OUTSIDE, hangs: true }),
    code: 2,
    says: "Cannot run the step in a sandbox: that of Codex is not on: it is danger-full-access",
    worked: true,
  },
  "a Codex whose log tells nothing of the sandbox has not passed": {
    program: fakeCodex({ outside: false }),
    code: 2,
    says: "its session log tells nothing of the turn",
    worked: true,
  },
  "a Codex that knows no sandbox gets no work": {
    program: "#!/bin/sh\nexit 2\n",
    code: 2,
    says: "no command runs in it (code 2)",
  },
  "a Claude Code that says that its sandbox is off gets no work": {
    provider: "claude_code",
    program: fakeClaude({ effective: { sandbox: { enabled: false } } }),
    code: 2,
    says: "its settings have sandbox.enabled: false",
  },
  "a Claude Code that does not tell gets no work": {
    provider: "claude_code",
    program: "#!/bin/sh\necho too old >&2\nexit 1\n",
    code: 2,
    says: "it does not report its settings: too old",
  },
};

for (const [name, { provider = "codex", program, code, says, worked = false }] of Object.entries(CASES)) {
  Deno.test(`sandbox: ${name}, after resume as before`, async () => {
    await using sandbox = await createSandbox();
    const { project, root } = sandbox;
    const panewright = await panewrightFromSource();
    await Deno.writeTextFile(`${root}/agent`, program, { mode: 0o755 });
    const step = { name: "build", prompt: "self", check: { type: "none" }, command: [`${root}/agent`] };
    const config = { provider, sandbox: "cli", pipelines: { main: [step] } };
    await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
    await Deno.writeTextFile(`${project}/task.md`, "Do it.");
    const env = { ...sandbox.env, ...panewright.env, CODEX_HOME: `${root}/codex` };
    const call = (...args: readonly string[]) =>
      runProgram([...panewright.argv, ...args, "--json"], { cwd: project, env, timeoutMs: 60_000 });
    const first = await call("exec", "task.md");
    assertEquals(first.code, code, first.stderr + first.stdout);
    assertStringIncludes(first.stderr, says);
    assertEquals(await exists(`${project}/prompt-seen`), worked);
    if (code === 0) return;
    const run = parseEvents(first.stdout).find(({ type }) => type === "run_started") as
      | { readonly runId?: string }
      | undefined;
    const again = await call("resume", run?.runId ?? "");
    assertEquals(again.code, 2, again.stderr + again.stdout);
    assertStringIncludes(again.stderr, says);
  });
}
