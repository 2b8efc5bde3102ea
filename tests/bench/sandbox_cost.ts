/**
 * Measures what the sandbox around an agent costs: the same step of `panewright exec`, without it and in it in turn, as
 * whole processes. First a step that only says something, then one that runs a hundred commands; at most 150 ms more
 * for the start, and 5 % more for the commands.
 *
 * `deno run -P=e2e tests/bench/sandbox_cost.ts [codex|claude_code] [PAIRS]`
 */
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { pipelineProject } from "../e2e/pipeline_project.ts";
import type { Turn } from "../lab/steps.ts";
import { panewrightCommands } from "../support/panewright.ts";
import { describeTimes } from "./describe.ts";

const COMMANDS = 100;

/** The middle of some values. */
function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? NaN;
}

if (import.meta.main) {
  const [provider = "codex", pairs = "10"] = Deno.args;
  if (provider !== "codex" && provider !== "claude_code") throw new Error(`${provider}: codex or claude_code`);
  const panewright = (await panewrightCommands()).findLast(({ name }) => name === "bundle");
  if (panewright === undefined) throw new Error('There is no bundle: run "deno task bundle"');
  const print = (line: string) => void Deno.stdout.writeSync(new TextEncoder().encode(`${line}\n`));
  const open = (sandbox: "off" | "agent", turn: Turn) =>
    pipelineProject({
      ...{ panewright, provider, turnFor: () => turn },
      config: { sandbox, pipelines: { main: [{ name: "work", prompt: "self", check: { type: "none" } }] } },
    });
  const timeOf = async ({ argv, env, sandbox }: Awaited<ReturnType<typeof open>>): Promise<number> => {
    const [file = "", ...args] = [...argv, "exec", "task.md", "--trust", "--no-input"];
    const startMs = performance.now();
    const run = await systemProcessRunner.run({ argv: [file, ...args], cwd: sandbox.project, clearEnv: true, env });
    const ms = performance.now() - startMs;
    if (run.code !== 0) throw new Error(`${run.stderr}${run.stdout}`);
    return ms;
  };
  const compare = async (what: string, turn: Turn) => {
    await using without = await open("off", turn);
    await using inside = await open("agent", turn);
    // The first play of each makes what is kept for the next ones.
    for (const one of [without, inside]) await timeOf(one);
    const [off, agent]: [number[], number[]] = [[], []];
    for (let pair = 0; pair < Number(pairs); pair++) {
      off.push(await timeOf(without));
      agent.push(await timeOf(inside));
    }
    const more = agent.map((ms, pair) => ms - off[pair]!);
    for (const [name, times] of [["without", off], ["inside", agent], ["more", more]] as const) {
      print(describeTimes(`${provider}, ${what}, ${name}`, times));
    }
    return { more: median(more), off: median(off) };
  };
  const done = { do: "say", text: "Done." } as const;
  const start = await compare("a step that says something", [done]);
  const commands = Array.from(
    { length: COMMANDS },
    (_, number) => ({ do: "shell", command: `echo ${number} > made` }) as const,
  );
  const turn = await compare(`a step of ${COMMANDS} commands`, [...commands, done]);
  const share = (turn.more - start.more) / (turn.off - start.off);
  print(`${provider}: ${start.more.toFixed(0)} ms more to start, ${(share * 100).toFixed(1)} % more for the commands`);
}
