import {
  assert,
  assertArrayIncludes,
  assertEquals,
  assertMatch,
  assertNotMatch,
  assertStringIncludes,
} from "@std/assert";
import { exists } from "@std/fs";
import type { PrintedFact } from "../e2e/failures_stage.ts";
import { responseTargetOf } from "../e2e/review_model.ts";
import { processesWith } from "../agents/process/support.ts";
import type { ProgramResult } from "../support/program.ts";
import { until } from "../support/until.ts";
import type { ModelStep, Play } from "./model.ts";
import { type AgentStage, type PlayerName, setUpStage, type StageOptions } from "./stage.ts";

/** One thing that an agent over ACP must be able to do, or that must be done about it. */
export interface Scenario {
  readonly name: string;
  /** What is shown, as a sentence for the table. */
  readonly shows: string;
  /** Whether a step of a pipeline, or a role of a run, is played. */
  readonly by: "step" | "role";
  /** Plays it by the commands that a person types. */
  play(player: PlayerName): Promise<void>;
  /** Why an agent cannot, as a sentence for the table; it is not played with that one. */
  readonly cannot?: Readonly<Partial<Record<PlayerName, string>>>;
  /** What is different with an agent, as a sentence for the table. */
  readonly notes?: Readonly<Partial<Record<PlayerName, string>>>;
}

const say = (text: string): ModelStep => ({ do: "say", text });
const shell = (command: string): ModelStep => ({ do: "shell", command });
const respond: ModelStep = { do: "respond", text: "RESULT: PASS\nIt is as it should be." };
const always = (...steps: readonly ModelStep[]): readonly Play[] => [{ steps }];

const ASKS_NOTHING =
  "Without a terminal it asks for no permission: its own sandbox decides, and its hooks keep the rules.";
const RUNS_ON = "Its process tells when the turn is over, which no response file outweighs while it runs.";
const NO_PROCESS = "It has a process for each message, and none of its own that would be on record.";
const NOT_INSIDE = "Nothing is known of where it keeps its state and its login.";
const LIVES_ON = "Its process outlives panewright's, and is ended by resume.";

/** Why a player cannot play a scenario; `undefined` where it can. */
export function reasonAgainst({ by, cannot = {} }: Scenario, player: PlayerName): string | undefined {
  if (player === "replay" && by === "step") return "It plays roles, in panes: there is no step for it.";
  if (player.endsWith("_process") && by === "step") return "A step of its provider is driven so anyway.";
  return cannot[player];
}

/** What a session that was stopped in its first turn comes to: how many sessions there are, and how many attempts. */
const KEPT = "1 2";
const LOST = "2 3";

/** Gemini CLI 0.61.0 has not always written its session when it is stopped, which is lost then. */
const afterStop = (player: string) => player === "gemini" ? [KEPT, LOST] : [KEPT];

/** A policy that allows one command, and puts the rest to a person. */
const allowing = (...allow: readonly string[]) => ({ permissions: { auto_accept: true, default: "ask", allow } });

function fails({ code, stderr, stdout }: ProgramResult): string {
  return `exit code ${code}\n${stdout}\n${stderr}`;
}

// deno-lint-ignore no-control-regex -- what is looked for
const ACTS_ON_A_TERMINAL = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]/;

function assertCode(result: ProgramResult, code: number): void {
  assertEquals(result.code, code, fails(result));
}

/** The facts of a run, or of a step, that are in the journal of the only run. */
async function journal(stage: AgentStage): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const text = await Deno.readTextFile(`${stage.project}/.panewright/runs/${stage.runId()}/journal.ndjson`);
  return text.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
}

async function factsOf(stage: AgentStage, type: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
  return (await journal(stage)).filter((fact) => fact["type"] === type);
}

async function assertNothingRuns({ sandbox }: AgentStage): Promise<void> {
  await until(() => processesWith(sandbox.root), (found) => found.length === 0);
}

async function withStage(
  options: StageOptions,
  play: (stage: AgentStage) => Promise<void>,
): Promise<void> {
  await using stage = await setUpStage(options);
  await play(stage);
  await assertNothingRuns(stage);
}

/** Nothing in it is repeated: Gemini CLI ends a turn that goes round in circles. */
const LONG_TEXT = Array.from({ length: 20_000 }, (_, index) => `${(index * 7919) % 100_003}-word`).join(" ");

/** The scenarios, in the order of the table. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: "plain turn",
    by: "step",
    shows: "A step is done, and its last message is the step's result.",
    play: (player) =>
      withStage({ player, plays: always(say("Hello from the lab.")) }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        const [finished] = await factsOf(stage, "attempt_finished");
        assertEquals([finished?.["outcome"], finished?.["finalText"]], ["completed", "Hello from the lab."]);
      }),
  },
  {
    name: "permission allowed",
    by: "step",
    shows: "A command that the policy allows runs, and the audit log has the exact command.",
    cannot: {
      codex: ASKS_NOTHING,
    },
    play: (player) =>
      withStage({
        player,
        config: allowing("touch made.txt"),
        plays: always(shell("touch made.txt"), say("Made.")),
      }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        assert(await exists(`${stage.project}/made.txt`));
        const audit = await stage.command("audit", "show", stage.runId());
        assertMatch(audit.stdout, /allow: command of main\/work/);
        assertStringIncludes(audit.stdout, "touch made.txt");
        assertCode(await stage.command("audit", "verify", stage.runId()), 0);
      }),
  },
  {
    name: "permission denied",
    by: "step",
    shows: "A command that the policy denies does not run.",
    cannot: {
      codex: ASKS_NOTHING,
    },
    play: (player) =>
      withStage({
        player,
        config: { permissions: { auto_accept: true, default: "deny" } },
        plays: always(shell("touch made.txt"), say("It was refused.")),
      }, async (stage) => {
        const result = await stage.command("exec", "task.md");
        assertEquals(await exists(`${stage.project}/made.txt`), false);
        const audit = await stage.command("audit", "show", stage.runId());
        assertMatch(audit.stdout, /deny: command of main\/work/, fails(result));
        assertStringIncludes(audit.stdout, "touch made.txt");
      }),
  },
  {
    name: "asked of a person",
    by: "step",
    shows:
      "A request that the policy leaves to a person stops the step; a yes lets exactly that command run, in the same session where the agent has kept it.",
    cannot: {
      codex: ASKS_NOTHING,
    },
    play: (player) =>
      withStage({
        player,
        config: allowing(),
        plays: always(shell("touch made.txt"), say("Made.")),
      }, async (stage) => {
        const stopped = await stage.command("exec", "task.md");
        assertCode(stopped, 3);
        assertStringIncludes(stopped.stdout, "touch made.txt");
        assertEquals(await exists(`${stage.project}/made.txt`), false);
        await assertNothingRuns(stage);
        assertCode(await stage.command("answer", stage.runId(), "yes"), 0);
        assertCode(await stage.command("resume", stage.runId()), 0);
        assert(await exists(`${stage.project}/made.txt`));
        const sessions = (await factsOf(stage, "session_found")).map(({ sessionId }) => sessionId);
        const attempts = (await factsOf(stage, "attempt_started")).length;
        assertArrayIncludes(afterStop(player), [`${new Set(sessions).size} ${attempts}`]);
      }),
  },
  {
    name: "two in one turn",
    by: "step",
    shows: "Two commands of one turn are decided separately, in any order.",
    cannot: {
      codex: ASKS_NOTHING,
    },
    play: (player) =>
      withStage({
        player,
        config: allowing("touch one.txt", "touch two.txt"),
        plays: always(shell("touch one.txt"), shell("touch two.txt"), say("Both.")),
      }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        assertEquals([await exists(`${stage.project}/one.txt`), await exists(`${stage.project}/two.txt`)], [
          true,
          true,
        ]);
        assertEquals((await factsOf(stage, "call_decided")).length, 2);
      }),
  },
  {
    name: "cancel",
    by: "step",
    shows: "Ctrl-C in the middle of an answer ends the agent and everything that it started.",
    play: (player) =>
      withStage({ player, plays: always(say("I begin."), { do: "hold" }, say("I end.")) }, async (stage) => {
        await using run = await stage.start("exec", "task.md", "--json");
        await stage.untilHeld();
        run.program.kill("SIGINT");
        assertCode(await run.program.ended, 130);
      }),
  },
  {
    name: "kill -9 and resume",
    by: "step",
    shows: "After kill -9 of panewright the agent ends as well, or resume ends it; resume does the step, once.",
    notes: { claude_code: LIVES_ON, codex: LIVES_ON },
    play: (player) =>
      withStage({
        player,
        plays: [
          { steps: [say("I begin."), { do: "hold" }, shell("echo made >> made.txt"), say("Made.")] },
          { steps: [shell("echo made >> made.txt"), say("Made.")] },
        ],
      }, async (stage) => {
        await using run = await stage.start("exec", "task.md", "--json");
        await stage.untilHeld();
        run.program.kill("SIGKILL");
        await run.program.ended;
        if (player !== "codex" && player !== "claude_code") await assertNothingRuns(stage);
        assertCode(await stage.command("resume", stage.runId()), 0);
        assertEquals(await Deno.readTextFile(`${stage.project}/made.txt`), "made\n");
      }),
  },
  {
    name: "usage limit",
    by: "step",
    shows: "A usage limit fails the step with that reason; it never counts as work done.",
    cannot: {
      claude_code:
        "It retries with its model server for more than a minute before it reports the limit: give the step a time limit.",
      qwen:
        "It retries with its model server for more than five minutes before it reports the limit: give the step a time limit.",
    },
    notes: { opencode: "It retries with its model server for two minutes before it reports the limit." },
    play: (player) =>
      withStage({
        player,
        plays: always({
          do: "refuse",
          status: 429,
          times: 50,
          isLimit: true,
          message: "You have hit your usage limit.",
        }),
      }, async (stage) => {
        const result = await stage.command("exec", "task.md");
        assertCode(result, 1);
        const [finished] = await factsOf(stage, "attempt_finished");
        assertEquals(finished?.["outcome"], "failed");
        assertMatch(String(finished?.["failure"]), /^(?:usage_limit|rate_limit)$/, fails(result));
      }),
  },
  {
    name: "stream cut",
    by: "step",
    shows: "After an answer that is cut off, the agent or a second attempt tries again; it never counts as done.",
    play: (player) =>
      withStage({
        player,
        step: { retry: 1, check: { type: "fileExists", path: "made.txt" } },
        plays: [
          { steps: [say("Half of it"), { do: "break" }, shell("touch made.txt"), say("Made.")] },
          { steps: [shell("touch made.txt"), say("Made.")] },
        ],
      }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        assert(await exists(`${stage.project}/made.txt`));
      }),
  },
  {
    name: "never ends",
    by: "role",
    shows:
      "If the agent never reports the end of a turn, the turn is over once its response file is complete and none of its calls is running.",
    cannot: {
      replay: "Its screen says that it works, which no response file outweighs in a pane.",
      codex: "Its screen says that it works, which no response file outweighs in a pane.",
      claude_code: "Its screen says that it works, which no response file outweighs in a pane.",
      codex_process: RUNS_ON,
      claude_code_process: RUNS_ON,
    },
    play: (player) =>
      withStage({ player, plays: always(respond, say("It is written."), { do: "hang" }) }, async (stage) => {
        const result = await stage.command("run");
        assertCode(result, 0);
        assertEquals((await factsOf(stage, "reminder_sent")).length, 0);
      }),
  },
  {
    name: "mode refused",
    by: "step",
    shows: "A session that is not in the mode in which the agent asks gets no prompt.",
    cannot: {
      claude_code: "It has no modes of the protocol: its arguments and settings decide.",
      codex: "It has no modes of the protocol: its arguments and settings decide.",
      opencode: "Its sessions have no mode for asking; its own configuration decides.",
    },
    play: async (player) => {
      const pack = await packWithMode(player, "no-such-mode");
      await withStage({
        player,
        config: { agents: { modeless: "./modeless.jsonc", fake: "./fake.jsonc" }, provider: "modeless" },
        plays: always(say("This must never be said.")),
      }, async (stage) => {
        await Deno.writeTextFile(`${stage.project}/modeless.jsonc`, JSON.stringify(pack));
        await Deno.writeTextFile(`${stage.project}/fake.jsonc`, JSON.stringify(pack));
        const result = await stage.command("exec", "task.md");
        assert(result.code === 1 || result.code === 2, fails(result));
        assertStringIncludes(result.stdout + result.stderr, "no-such-mode");
        assertEquals(await stage.prompts(), []);
      });
    },
  },
  {
    name: "load of a missing session",
    by: "step",
    shows: "If a session is gone, a new one is started, and is told everything that it must know.",
    play: (player) =>
      withStage({
        player,
        plays: [
          { when: "Blue", steps: [say("Blue it is.")] },
          { steps: [shell("panewright ask 'Which colour?'"), say("This must never be said.")] },
        ],
      }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 3);
        await stage.forgetSessions();
        assertCode(await stage.command("answer", stage.runId(), "Blue"), 0);
        assertCode(await stage.command("resume", stage.runId()), 0);
        const last = (await stage.prompts()).at(-1) ?? "";
        for (const known of ["Do what the scenario says.", "Which colour?", "Blue"]) assertStringIncludes(last, known);
      }),
  },
  {
    name: "long output",
    by: "step",
    shows: "200,000 characters of an answer and as many of a command are read, and kept within limits.",
    play: (player) =>
      withStage({
        player,
        plays: always(
          shell("seq 1 40000"),
          { do: "say", text: `${LONG_TEXT} the end`, chunkChars: 2000 },
        ),
      }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        const [finished] = await factsOf(stage, "attempt_finished");
        assertStringIncludes(String(finished?.["finalText"]), "the end");
      }),
  },
  {
    name: "hostile text",
    by: "step",
    shows: "What an agent writes never acts on the terminal.",
    play: (player) =>
      withStage({
        player,
        plays: always(say("\x1b]0;owned\x07\x1b[2J\x1b[31mred\u202e\u009b31m\r\nRESULT: PASS")),
      }, async (stage) => {
        const result = await stage.command("exec", "task.md");
        assertCode(result, 0);
        const shown = await stage.command("logs", stage.runId());
        for (const text of [result.stdout, result.stderr, shown.stdout]) assertNotMatch(text, ACTS_ON_A_TERMINAL);
      }),
  },
  {
    name: "question of the agent",
    by: "step",
    shows: "The agent's own question goes to a person, and the agent gets the answer.",
    cannot: {
      claude_code: "Without a terminal its model is offered no question tool: it uses panewright ask.",
      codex: "Its question tool says that it is unavailable in its default mode: it uses panewright ask.",
      codex_acp: "Its question tool is missing over the protocol: it uses panewright ask.",
      copilot: "Its question tool is missing over the protocol: it uses panewright ask.",
      gemini: "Its question tool is missing over the protocol: it uses panewright ask.",
      opencode: "Its question tool is missing over the protocol: it uses panewright ask.",
      qwen: "Its question comes as a permission, answered yes or no; for other answers it uses panewright ask.",
    },
    play: (player) =>
      withStage({
        player,
        plays: [
          { when: "blue", steps: [say("Blue it is.")] },
          { steps: [{ do: "ask", question: "Which colour?", options: ["red", "blue"] }, say("Asked.")] },
        ],
      }, async (stage) => {
        const stopped = await stage.command("exec", "task.md");
        assertCode(stopped, 3);
        assertStringIncludes(stopped.stdout, "Which colour?");
        assertCode(await stage.command("answer", stage.runId(), "blue"), 0);
        assertCode(await stage.command("resume", stage.runId()), 0);
        assertStringIncludes((await stage.prompts()).at(-1) ?? "", "blue");
      }),
  },
  {
    name: "no response file",
    by: "role",
    shows: "A role that ends its turn without its response file is reminded, and then writes it.",
    play: (player) =>
      withStage({
        player,
        config: { handoff: { idle_grace_seconds: 1 } },
        plays: [{ steps: [say("I forgot the file.")] }, { steps: [respond, say("Here it is.")] }],
      }, async (stage) => {
        assertCode(await stage.command("run"), 0);
        assertEquals((await stage.prompts()).length, 2);
        assertEquals((await factsOf(stage, "message_sent")).map(({ what }) => what), ["prompt", "reminder"]);
      }),
  },
  {
    name: "late response file",
    by: "role",
    shows: "A response file that is written after the end of the turn counts once, for that turn.",
    play: (player) =>
      withStage({
        player,
        config: { handoff: { idle_grace_seconds: 120 } },
        plays: always(say("It is being written.")),
      }, async (stage) => {
        await using run = await stage.start("run", "--json");
        const prompt = await until(async () => (await stage.prompts())[0]);
        const { path } = responseTargetOf(prompt ?? "")!;
        const isOver = ({ type, status }: PrintedFact) => type === "status_changed" && status === "completed";
        await until(() => run.facts().some(isOver));
        await Deno.writeTextFile(path, "RESULT: PASS\nIt is as it should be.\n");
        assertCode(await run.program.ended, 0);
        assertEquals((await stage.prompts()).length, 1);
      }),
  },
  {
    name: "crash at start",
    by: "step",
    shows: "If an agent ends at once, its last lines are shown, and the next attempt does the step.",
    play: async (player) => {
      const wrapper = await Deno.makeTempFile({ prefix: "lab-crash-" });
      // What a program is asked about itself is answered: the crash hits an attempt.
      const script = `#!/bin/sh
case " $* " in *" --version "* | *" --input-format stream-json "*) exec "$@" ;; esac
if [ -n "$PANEWRIGHT_ATTEMPT" ] && [ ! -e "$0.crashed" ]; then touch "$0.crashed"; echo 'boom: no such library' >&2; exit 7; fi
exec "$@"
`;
      try {
        await Deno.writeTextFile(wrapper, script);
        await Deno.chmod(wrapper, 0o755);
        await withStage(
          {
            player,
            wrapper,
            step: { retry: 1 },
            // A crash in the trial of the hooks ends the run before its first attempt.
            config: { permissions: { auto_accept: true, default: "allow", hook_trial: "off" } },
            plays: always(say("Done at last.")),
          },
          async (stage) => {
            const result = await stage.command("exec", "task.md");
            assertCode(result, 0);
            const attempts = await factsOf(stage, "attempt_finished");
            assertEquals(attempts.map(({ outcome }) => outcome), ["failed", "completed"]);
            assertStringIncludes(result.stderr + JSON.stringify(attempts[0]), "boom: no such library");
          },
        );
      } finally {
        await Deno.remove(wrapper);
        await Deno.remove(`${wrapper}.crashed`).catch(() => {});
      }
    },
  },
  {
    name: "restart",
    by: "role",
    shows: "A role's agent that is killed in the middle of its turn is started again, and the turn continues.",
    cannot: {
      replay: "A replayed agent that is started again begins its script anew.",
      codex_process: NO_PROCESS,
      claude_code_process: NO_PROCESS,
      qwen:
        "Its inner process outlives the one that is killed, and reports the turn as cancelled: the run ends with that error.",
    },
    play: (player) =>
      withStage({
        player,
        plays: [
          { steps: [say("I begin."), { do: "hold" }] },
          { steps: [respond, say("Here it is.")] },
        ],
      }, async (stage) => {
        await using run = await stage.start("run", "--json");
        await stage.untilHeld();
        const ready = run.facts().find(({ type, role }) => type === "agent_ready" && role === "tester");
        Deno.kill(Number(ready?.["pid"]), "SIGKILL");
        assertCode(await run.program.ended, 0);
        assertEquals((await factsOf(stage, "agent_lost")).length, 1);
        assertEquals((await factsOf(stage, "turn_started")).length, 1);
      }),
  },
  {
    name: "tokens",
    by: "step",
    shows: "The agent's reported token use is in the journal.",
    cannot: {
      opencode: "It reports only the tokens of a turn's last request, which would be too few: none are counted.",
    },
    play: (player) =>
      withStage({ player, plays: always(say("Counted.")) }, async (stage) => {
        assertCode(await stage.command("exec", "task.md"), 0);
        const [finished] = await factsOf(stage, "run_finished");
        const usage = Object.values(
          finished?.["usage"] as Record<string, { inputTokens: number; outputTokens: number }>,
        );
        const input = usage.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
        assert(input >= 1000 && input <= 2500, JSON.stringify(finished));
      }),
  },
  ...(["step", "role"] as const).map((by): Scenario => ({
    name: `a sandbox around a ${by}`,
    by,
    shows: "In a sandbox around the whole agent it works in its folder, nothing gets out, and nobody is asked.",
    cannot: {
      fake: NOT_INSIDE,
      replay: NOT_INSIDE,
    },
    play: (player) =>
      withStage({
        player,
        config: { sandbox: "agent", permissions: {} },
        plays: always(shell("sh probe.sh"), by === "step" ? say("Made.") : respond),
      }, async (stage) => {
        const probe = `touch made.txt\ntouch "${stage.sandbox.home}/escaped.txt" || touch held.txt\nexit 0\n`;
        await Deno.writeTextFile(`${stage.project}/probe.sh`, probe);
        assertCode(await (by === "step" ? stage.command("exec", "task.md") : stage.command("run")), 0);
        const made = ["made.txt", "held.txt"].map((name) => exists(`${stage.project}/${name}`));
        const escaped = await exists(`${stage.sandbox.home}/escaped.txt`);
        assertEquals([...await Promise.all(made), escaped], [true, true, false]);
        const asked = (await journal(stage)).filter(({ type }) =>
          type === "question_asked" || type === "dialog_waiting"
        );
        assertEquals(asked, []);
      }),
  })),
];

/** The pack of a player, but that it asks in another mode. */
async function packWithMode(player: PlayerName, id: string): Promise<Readonly<Record<string, unknown>>> {
  if (player === "fake") {
    return { label: "Fake agent", program: "fake-agent", ask_mode: { id, asks_before: ["execute"] } };
  }
  const { parse } = await import("jsonc-parser");
  const pack = parse(await Deno.readTextFile(new URL(`../../packs/${player}.jsonc`, import.meta.url)));
  return { ...pack, ask_mode: { ...pack.ask_mode, id } };
}
