import { assertEquals, assertStringIncludes } from "@std/assert";
import { processesWith } from "../agents/process/support.ts";
import type { Step, Turn } from "../lab/steps.ts";
import type { CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import type { ProgramResult } from "../support/program.ts";
import { until } from "../support/until.ts";
import { cliProject } from "./cli_project.ts";

/** What one reply of the model servers costs. */
const REPLY = {
  codex: { model: "gpt-6.1-sol", inputTokens: 1200 },
  claude_code: { model: "claude-opus-5-5", inputTokens: 1000 },
} as const;

const shell = (command: string): Step => ({ do: "shell", command });
/** A reply that takes a moment, so that there is time between two. */
const WORK: Turn = [{ do: "wait", ms: 300 }, shell("true")];
const DONE: Turn = [{ do: "say", text: "Done." }];

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`exec, ${provider}: all that a run's attempts use counts once, those that are killed, stopped and answered included`, async () => {
    // A reply is on its way when panewright is killed; it is on record when its command runs.
    await using step = await setUpStep(provider, [...WORK, { do: "hold" }, shell("touch ran"), { do: "hang" }]);
    await using killed = step.start("exec", "task.md");
    await until(step.replies, (count) => count === 2);
    killed.kill("SIGKILL");
    await killed.ended;
    step.release();
    await until(() => Deno.stat(`${step.sandbox.project}/ran`).catch(() => undefined));

    const before = step.replies();
    step.answerWith([...WORK, { do: "hang" }]);
    await using stopped = step.start("resume");
    await until(step.replies, (count) => count === before + 2);
    stopped.kill("SIGINT");
    assertEquals((await stopped.ended).code, 130);

    step.answerWith([...WORK, { do: "wait", ms: 100 }, shell("panewright ask 'Which?'")]);
    assertEquals((await step.run("resume", "--json")).code, 3);
    step.answerWith([...WORK, ...DONE]);
    assertEquals((await step.run("answer", step.runId(), "This.")).code, 0);
    await step.requireAll(await step.run("resume", "--json"), { replies: 7 });
  });
}

/** A project with a pipeline of one step of a real agent, whose model is ours. */
async function setUpStep(provider: CliName & keyof typeof REPLY, first: Turn) {
  let turn = first;
  const project = await cliProject({
    provider,
    isRepository: true,
    onPath: "itself",
    respond: () => turn,
    files: {
      "task.md": "Do it.",
      "panewright.jsonc": {
        provider,
        providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
        exec: { resume: "native" },
        pipelines: { main: [{ name: "only", prompt: "self", check: { type: "shell", command: "true" } }] },
      },
    },
  });
  const { server: { log, release }, sandbox } = project;
  return {
    ...project,
    release,
    answerWith: (next: Turn) => void (turn = next),
    /** The run has passed, and its end tells of all replies that were sent whole. */
    async requireAll({ code, stdout, stderr }: ProgramResult, { replies }: { replies: number }) {
      assertEquals(code, 0, stderr);
      assertEquals(log.entries.filter((entry) => entry.event === "idle" && entry.how === "sent").length, replies);
      const { model, inputTokens } = REPLY[provider];
      const end = parseEvents(stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
      const [name, used] = Object.entries(end?.usage ?? {})[0] ?? [];
      assertEquals([name, used?.inputTokens], [model, replies * inputTokens]);
      assertEquals(end?.usageByStep, { "main/only": end?.usage ?? {} });
      assertStringIncludes((await project.run("status")).stdout, `${replies * inputTokens} tokens in`);
      assertEquals(await processesWith(sandbox.root), []);
    },
  };
}

/** What of the end of a run is looked at here. */
interface Finished {
  readonly type: string;
  readonly usage?: Tokens;
  readonly usageByStep?: Readonly<Record<string, Tokens>>;
}

type Tokens = Readonly<Record<string, { readonly inputTokens: number; readonly outputTokens: number }>>;
