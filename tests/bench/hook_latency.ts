/**
 * Measures how long an agent stands still for a decision of the policy: by its CLI's hook, and beside it by its screen,
 * with the key that accepts a dialog.
 *
 * `deno run -P=e2e tests/bench/hook_latency.ts [claude_code|codex|hook] [DECISIONS]`; `hook` measures the hook alone.
 *
 * The hook alone is what the CLI starts: `sh -c COMMAND`, the request on standard input, until its output ends. With
 * the real CLI it is the time from the end of the model's reply, which calls a command, to the CLI's next request with
 * the command's result, so it has the command's own time in it, and the CLI's.
 */
import { createPaneDesk } from "../../lib/turn/desk/pane_desk.ts";
import type { CliName } from "../support/clis.ts";
import type { Step } from "../lab/steps.ts";
import { type DialogStageOptions, setUpDialogs } from "../e2e/dialog_stage.ts";
import { describeTimes } from "./describe.ts";

/** Each command is another one, and takes no time. */
const commandOf = (turn: number): string => `touch counted-${turn}`;

/** From the model's call to its result, for each command of a turn. */
async function measureCli(provider: CliName, decisions: number, options: Partial<DialogStageOptions>) {
  const escalate = provider === "codex" && options.policy !== undefined ? { escalate: "May I count?" } : {};
  // Without a pause, Claude Code is asked for all of them at once.
  const prompts = [
    Array.from({ length: decisions }, (_, turn): Step[] => [
      { do: "shell", command: commandOf(turn), ...escalate },
      { do: "wait", ms: 50 },
    ]).flat(),
  ];
  const settings = { acceptCap: decisions + 5, acceptCooldownSeconds: 0, responseTimeoutSeconds: 600 };
  await using dialogs = await setUpDialogs({ provider, prompts, settings, ...options });
  await dialogs.play();
  const { entries } = dialogs.stage.server.log;
  const calls = entries.filter((entry) => entry.event === "step" && entry.step.startsWith("shell"));
  return calls.slice(0, decisions).flatMap((call) => {
    const end = entries.find((entry) => entry.event === "idle" && "n" in call && entry.n === call.n);
    const next = entries.find((entry) => entry.event === "busy" && "n" in call && entry.n > call.n);
    return end === undefined || next === undefined ? [] : [next.t - end.t];
  });
}

/** The hook as the CLI starts it, with the desk of a turn behind it. */
async function measureHook(provider: CliName, decisions: number): Promise<number[]> {
  await using dialogs = await setUpDialogs({ provider, prompts: [] });
  const { context, agent, hook, project } = dialogs;
  if (hook === undefined) throw new TypeError("The stage has no hook");
  const desk = createPaneDesk(context, { turnId: "bench", role: "tester", terminal: agent });
  using _ = desk.serve?.({ take: () => true });
  const times: number[] = [];
  for (let turn = 0; turn < decisions; turn++) {
    const input = {
      hook_event_name: "PermissionRequest",
      cwd: project,
      tool_name: "Bash",
      tool_input: { command: commandOf(turn), description: "Counts" },
    };
    const startMs = performance.now();
    const child = new Deno.Command("sh", { args: ["-c", hook.command], stdin: "piped", stdout: "piped" }).spawn();
    const written = new Blob([JSON.stringify(input)]).stream().pipeTo(child.stdin);
    const output = await new Response(child.stdout).text();
    times.push(performance.now() - startMs);
    await written;
    await child.status;
    if (!output.includes('"behavior":"allow"')) throw new Error(`The hook said: ${output}`);
  }
  return times;
}

async function say(name: string, times: readonly number[]): Promise<void> {
  await Deno.stdout.write(
    new TextEncoder().encode(`${describeTimes(name, times)}, least ${Math.min(...times).toFixed(1)} ms\n`),
  );
}

if (import.meta.main) {
  const provider: CliName = Deno.args[0] === "codex" ? "codex" : "claude_code";
  const decisions = Number(Deno.args[1] ?? 20);
  await say("the hook alone", await measureHook(provider, decisions));
  if (Deno.args[0] !== "hook") {
    const free = provider === "claude_code" ? { args: ["--allowedTools", "Bash"] } : {};
    await say(`${provider}, nothing to decide`, await measureCli(provider, decisions, free));
    await say(`${provider}, by its hook`, await measureCli(provider, decisions, { policy: {} }));
    await say(
      `${provider}, by a key on its screen, looked at each 250 ms`,
      await measureCli(provider, decisions, { policy: {}, hooks: false }),
    );
  }
}
