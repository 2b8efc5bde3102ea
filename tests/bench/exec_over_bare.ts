/**
 * Measures what `panewright exec` of one step takes besides the CLI itself: the bare CLI and the step with the same
 * prompt and the same model server in turn, as whole processes; at most 200 ms more.
 *
 * `deno run -P=e2e tests/bench/exec_over_bare.ts [codex|claude_code] [PAIRS] [COMMAND…]`; without a command it is the bundle.
 */
import { findNativeClaude } from "../../lib/agents/claude_code/program.ts";
import { systemHost } from "../../lib/base/ports/host.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { pipelineProject } from "../e2e/pipeline_project.ts";
import { panewrightCommands } from "../support/panewright.ts";
import { describeTimes } from "./describe.ts";

const PROMPT = "Say hello.";

if (import.meta.main) {
  const [provider = "codex", pairs = "10", ...command] = Deno.args;
  if (provider !== "codex" && provider !== "claude_code") throw new Error(`${provider}: codex or claude_code`);
  const [program, ...rest] = command;
  const bundle = (await panewrightCommands()).findLast(({ name }) => name === "bundle");
  const panewright = program === undefined ? bundle : { name: "command", argv: [program, ...rest] as const, env: {} };
  if (panewright === undefined) throw new Error('There is no bundle: run "deno task bundle"');
  await using project = await pipelineProject({
    panewright,
    provider,
    turnFor: () => [{ do: "say", text: "Hello." }],
    config: {
      pipelines: { main: [{ name: "plan", prompt: "plan.md", check: { type: "fileExists", path: "plan.md" } }] },
    },
  });
  const cwd = project.sandbox.project;
  await Deno.writeTextFile(`${cwd}/plan.md`, PROMPT);
  // npm's launcher of Claude Code may only say that its program was not installed.
  const claude = findNativeClaude(systemHost(project.env)) ?? "claude";
  const bare = provider === "codex" ? ["codex", "exec", "--json", PROMPT] : [claude, "-p", PROMPT];
  const step = [...project.argv, "exec", "task.md", "--json"];
  const timeOf = async (argv: readonly string[]): Promise<number> => {
    const [file = "", ...args] = argv;
    const startMs = performance.now();
    const result = await systemProcessRunner.run({ argv: [file, ...args], cwd, clearEnv: true, env: project.env });
    const ms = performance.now() - startMs;
    if (result.code !== 0) throw new Error(`${argv.join(" ")}: ${result.stderr}${result.stdout}`);
    return ms;
  };
  const bareMs: number[] = [];
  const stepMs: number[] = [];
  for (let pair = 0; pair < Number(pairs); pair++) {
    bareMs.push(await timeOf(bare));
    stepMs.push(await timeOf(step));
  }
  const more = stepMs.map((ms, pair) => ms - bareMs[pair]!);
  const lines = [["bare", bareMs], ["panewright exec", stepMs], ["more", more]] as const;
  const text = lines.map(([name, times]) => `${describeTimes(`${provider}, ${name}`, [...times])}\n`).join("");
  await Deno.stdout.write(new TextEncoder().encode(text));
}
