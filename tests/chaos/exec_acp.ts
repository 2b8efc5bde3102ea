import { sleepWithTimer } from "../../lib/base/ports/clock.ts";
import { type Fault, faultText } from "../../lib/base/ports/fault.ts";
import { listRunIds } from "../../lib/run/find_run.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import type { PanewrightCommand } from "../support/panewright.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";
import { createSandbox } from "../support/sandbox.ts";
import { type AgentEvent, type Answer, readLog } from "./agent_log.ts";
import { acpPack } from "./acp_job.ts";
import { KILLED_CODE } from "./command.ts";

/** How a pipeline went whose first command was killed. */
export interface PlayedPipeline {
  /** What is wrong with how it ended, a sentence each. */
  readonly violations: readonly string[];
  /** How many records the first command has written. */
  readonly records: number;
  readonly kills: number;
  readonly story: readonly string[];
}

/** What happens to a pipeline. */
export interface PipelineBlow {
  /** The nth command kills itself at the nth fault; where there is none, it is left alone. @default {[]} */
  readonly faults?: readonly (Fault | undefined)[];
  /** The agent that gets the nth prompt is killed so long after that. @default none is */
  readonly agent?: { readonly prompt: number; readonly afterMs: number };
}

const STEPS = ["first", "build", "last"] as const;
const ANSWER = "postgres it is";
const MOST_COMMANDS = 12;

/**
 * Plays a task of three steps with an agent over the Agent Client Protocol, which asks a person in the second one. The
 * question is answered, and the run resumed, until it has passed.
 */
export async function playPipeline(
  panewright: PanewrightCommand,
  { faults = [], agent, signal }: PipelineBlow & { readonly signal: AbortSignal },
): Promise<PlayedPipeline> {
  await using sandbox = await createSandbox();
  const { project, root } = sandbox;
  const folder = `${root}/agent`;
  await Deno.mkdir(folder);
  const files: Readonly<Record<string, string>> = {
    [`${folder}/answers.json`]: JSON.stringify(ANSWERS),
    [`${folder}/agent.jsonc`]: acpPack(folder),
    [`${project}/panewright.jsonc`]: JSON.stringify(CONFIG),
    [`${project}/task.md`]: "Do the step.",
    ...Object.fromEntries(STEPS.map((name) => [`${project}/${name}.md`, `Do your part.\nTURN ${name}\n`])),
  };
  for (const [path, text] of Object.entries(files)) await Deno.writeTextFile(path, text);

  const logPath = `${folder}/log.ndjson`;
  const over = new AbortController();
  const watching = agent === undefined ? undefined : killAgent(logPath, { ...agent, signal: over.signal });
  const story: string[] = [];
  const call = async (args: readonly string[], fault?: Fault): Promise<ProgramResult> => {
    signal.throwIfAborted();
    const named = fault === undefined ? {} : { PANEWRIGHT_FAULT: faultText(fault) };
    const result = await runProgram([...panewright.argv, ...args], {
      cwd: project,
      env: { ...sandbox.env, ...panewright.env, ...named },
      timeoutMs: 120_000,
    });
    story.push(`panewright ${args.join(" ")} ${JSON.stringify(named)}: ${result.code}\n${result.stderr.trimEnd()}`);
    return result;
  };
  const journal = async () => {
    const [id] = (await listRunIds(project)).toReversed();
    if (id === undefined) return [];
    const text = await Deno.readTextFile(runFolderAt(project, id).journalPath).catch(() => "");
    return text.split("\n").slice(0, -1).map((line): Entry => JSON.parse(line));
  };

  let written = 0;
  let kills = 0;
  const violations: string[] = [];
  for (let count = 0; count < MOST_COMMANDS; count++) {
    const records = await journal();
    if (hasPassed(records)) break;
    const begun = records.some(({ type }) => type === "run_started");
    const { code, stderr } = await call(begun ? ["resume"] : ["exec", "task.md"], faults[count]);
    if (count === 0) written = (await journal()).length;
    if (/^\s+at .+:\d+:\d+\)?$/m.test(stderr)) violations.push("a command showed a stack trace");
    if (code === KILLED_CODE) kills++;
    else if (code === 3) await call(["answer", ANSWER]);
    else if (code !== 0) violations.push(`a command ended with ${code}`);
    if (code === 0 || violations.length > 0) break;
  }
  over.abort();
  if (await watching) kills++;
  violations.push(...findPipelineViolations(await journal(), readLog(logPath)));
  await sandbox.assertNothingLeft().catch((error: Error) => violations.push(error.message));
  return { violations, records: written, kills, story };
}

/** Kills the agent that gets the nth prompt. */
async function killAgent(
  logPath: string,
  { prompt, afterMs, signal }: Required<PipelineBlow>["agent"] & { readonly signal: AbortSignal },
): Promise<boolean> {
  try {
    for (;;) {
      const victim = readLog(logPath).filter(({ what }) => what === "prompt")[prompt - 1];
      if (victim !== undefined) {
        await sleepWithTimer(afterMs, signal);
        Deno.kill(victim.pid, "SIGKILL");
        return true;
      }
      await sleepWithTimer(2, signal);
    }
  } catch {
    // It has ended before, or the pipeline is over.
    return false;
  }
}

const ANSWERS: Readonly<Record<string, Answer>> = {
  first: { commands: ["echo a > first.txt"], response: "I have looked." },
  build: {
    ask: { command: "panewright ask 'Which database?'", answer: ANSWER },
    commands: ["echo b > build.txt"],
    response: "It is built.",
  },
  last: { commands: ["echo c > last.txt"], response: "All is clean." },
};

const CONFIG = {
  provider: "chaos",
  agents: { chaos: "../agent/agent.jsonc" },
  permissions: { auto_accept: true, default: "allow" },
  autonomy_level: 3,
  pipelines: {
    main: STEPS.map((name) => ({
      name,
      prompt: `${name}.md`,
      check: { type: "fileExists", path: `${name}.txt` },
      retry: 2,
    })),
  },
};

/** A record of a pipeline's journal, with the fields that are looked at. */
export interface Entry {
  readonly at: string;
  readonly type: string;
  readonly name?: string;
  readonly step?: number;
  readonly question?: string;
  readonly answer?: string;
  readonly outcome?: string;
}

function hasPassed(entries: readonly Entry[]): boolean {
  const last = entries.at(-1);
  return last?.type === "run_finished" && last.outcome === "pass";
}

/** What is wrong with a pipeline that has passed: something was lost, or done twice. */
export function findPipelineViolations(entries: readonly Entry[], log: readonly AgentEvent[]): readonly string[] {
  const violations: string[] = [];
  const of = (type: string) => entries.filter((entry) => entry.type === type);
  const last = entries.at(-1);
  if (!hasPassed(entries)) {
    violations.push(`the last record is ${last?.type} ${last?.outcome ?? ""}, not run_finished pass`);
  }
  const finished = of("step_finished").map(({ name, outcome }) => `${name} ${outcome}`).join();
  if (finished !== STEPS.map((name) => `${name} pass`).join()) violations.push(`the steps ended so: ${finished}`);
  const answered = of("question_answered").map(({ answer }) => answer);
  if (answered.length !== 1 || answered[0] !== ANSWER) violations.push(`answers: ${JSON.stringify(answered)}`);
  for (const { at, name, step } of of("step_finished")) {
    const late = of("attempt_started").filter((entry) => entry.step === step && entry.at > at);
    const prompts = log.filter((event) => event.turnId === name && event.at > at);
    if (late.length + prompts.length > 0) violations.push(`${name} was worked on after it had passed`);
  }
  const alive = new Set<number>();
  for (const { what, pid, dead } of log) {
    for (const one of dead) alive.delete(one);
    alive.add(pid);
    if (what === "start" && alive.size > 1) {
      violations.push(`agent ${pid} was started while ${[...alive].join()} lived`);
    }
  }
  return violations;
}
