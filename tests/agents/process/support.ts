import type { AgentFact } from "../../../lib/agents/agent.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { runHeadless } from "../../../lib/agents/process/headless.ts";
import { AgentAskedError, type AttemptRequest, type HeadlessResult } from "../../../lib/agents/process/seam.ts";
import { codexProvider } from "../../../lib/agents/codex/provider.ts";
import { tempDir } from "../../support/temp_dir.ts";
import type { FakePlan, FakeStep } from "./fake_cli.ts";

/** A project in which a fake CLI runs. */
export interface FakeProject extends AsyncDisposable {
  readonly path: string;
  readonly facts: AgentFact[];
  /** Runs an attempt of the fake: what it resolves or rejects with. */
  run(
    steps: readonly FakeStep[],
    change?: Partial<AttemptRequest> & { readonly plan?: Partial<FakePlan> },
  ): Promise<HeadlessResult>;
  /** Text of a file of the latest attempt's folder. */
  stepFile(name: string): Promise<string>;
}

const FAKE = new URL("./fake_cli.ts", import.meta.url).pathname;

/** The commands that ask, in the tests. */
export const ASK_COMMANDS = [["panewright", "ask"], ["cat-herder", "ask"]] as const;

/** Sets up a project for attempts of a fake CLI. */
export async function fakeProject(provider: AttemptRequest["provider"] = codexProvider): Promise<FakeProject> {
  const dir = await tempDir();
  const facts: AgentFact[] = [];
  let attempts = 0;
  await Deno.mkdir(`${dir.path}/project`);
  const folderOf = (attempt: number) => `${dir.path}/run/attempt-${attempt}`;
  return {
    path: dir.path,
    facts,
    run(steps, { plan = {}, ...change } = {}) {
      const folder = folderOf(++attempts);
      const file = `${dir.path}/plan-${attempts}.json`;
      const whole: FakePlan = { threadId: crypto.randomUUID(), steps, ...plan };
      Deno.writeTextFileSync(file, JSON.stringify(whole));
      return runHeadless({
        provider,
        workdir: `${dir.path}/project`,
        prompt: "Do it.",
        command: [Deno.execPath(), "run", "--quiet", "--no-lock", "--no-config", "--allow-all", FAKE, file],
        env: { CODEX_HOME: `${dir.path}/codex`, DENO_NO_UPDATE_CHECK: "1" },
        stepFolder: folder,
        ask: {
          commands: ASK_COMMANDS,
          channelFolder: `${folder}/asks`,
          launcherFolder: `${folder}/bin`,
          panewright: [Deno.execPath(), "run", "--quiet", "--allow-all", MAIN],
        },
        signal: new AbortController().signal,
        clock: systemClock,
        timeLimitSeconds: 600,
        onProgress: (fact) => facts.push(fact),
        ...change,
      });
    },
    stepFile: (name) => Deno.readTextFile(`${folderOf(attempts)}/${name}`),
    async [Symbol.asyncDispose]() {
      await dir[Symbol.asyncDispose]();
    },
  };
}

const MAIN = new URL("../../../main.ts", import.meta.url).pathname;

/** The error of an attempt that asks. */
export async function askedBy(attempt: Promise<HeadlessResult>): Promise<AgentAskedError> {
  try {
    const result = await attempt;
    throw new Error(`nothing was asked: ${JSON.stringify(result)}`);
  } catch (error) {
    if (error instanceof AgentAskedError) return error;
    throw error;
  }
}

/** The report's line that names the thread. */
export const started = (threadId: string): FakeStep => ({
  do: "print",
  line: { type: "thread.started", thread_id: threadId },
});

/** A tool call in the log, as a reply's item. */
export const shellCall = (command: string, callId = "call_1"): FakeStep => ({
  do: "log",
  record: {
    type: "response_item",
    payload: {
      type: "function_call",
      name: "exec_command",
      call_id: callId,
      arguments: JSON.stringify({ cmd: command }),
    },
  },
});

/** The end of a turn in the log. */
export const turnEnd = (text: string): FakeStep => ({
  do: "log",
  record: { type: "event_msg", payload: { type: "task_complete", turn_id: "t1", last_agent_message: text } },
});

/** Ids of living processes whose command line holds a text. */
export async function processesWith(text: string): Promise<readonly string[]> {
  const { stdout } = await systemProcessRunner.run({
    argv: [
      "find",
      "/proc",
      "-maxdepth",
      "2",
      "-path",
      "/proc/[0-9]*/cmdline",
      "-exec",
      "grep",
      "-alsF",
      text,
      "{}",
      "+",
    ],
  });
  const paths = stdout.split("\n").filter((path) => path !== "");
  const living = await Promise.all(paths.map(async (path) => {
    const { stdout } = await systemProcessRunner.run({ argv: ["cat", path] });
    return stdout.includes(text) && !stdout.includes("/proc") ? path : "";
  }));
  return living.filter((path) => path !== "");
}
