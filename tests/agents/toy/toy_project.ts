import { panewrightFromSource } from "../../support/panewright.ts";
import type { Sandbox } from "../../support/sandbox.ts";

const FOLDER = new URL(".", import.meta.url).pathname;
const ROOT = new URL("../../../", import.meta.url).pathname;

const JOB = `Shout.

*** ORIGINAL EXPLORE SUMMARY ***
Add a --shout flag to the greeter in src/greet.ts.

*** SCENARIO TEST ***
1. \`greet --shout Ada\` prints HELLO ADA
`;

/** How a review loop with toy agents is started in a sandbox's project. */
export interface ToyProject {
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
}

/** Writes a job for toy agents and its configuration into the sandbox's project. */
export async function toyProject(
  { project, env: outer }: Sandbox,
  { agentEnv = {}, ...config }: {
    /** Variables of the agents. @default {{}} */
    readonly agentEnv?: Readonly<Record<string, string>>;
    /** Keys of the configuration. */
    readonly [key: string]: unknown;
  },
): Promise<ToyProject> {
  const { argv, env } = await panewrightFromSource();
  const deno: [string, ...string[]] = [argv[0], "run", "--quiet", `--config=${ROOT}deno.json`, "--no-prompt"];
  const agent = [...deno, "--allow-env=TOY_TYPED", `--allow-read=${project}`, `--allow-write=${project}`];
  await Deno.writeTextFile(`${project}/job.md`, JOB);
  await Deno.writeTextFile(
    `${project}/panewright.jsonc`,
    JSON.stringify({
      provider: "toy",
      providers: { toy: { command: [...agent, `${FOLDER}toy_agent.ts`], env: { ...env, ...agentEnv } } },
      prompt_file: "job.md",
      handoff: { poll_seconds: 0.2 },
      tmux: { cols: 100, rows: 30 },
      quiet_seconds: 0.5,
      ...config,
    }),
  );
  return {
    argv: [...deno, "--allow-all", `${FOLDER}run_toy.ts`, "panewright.jsonc"],
    env: { ...outer, ...env },
  };
}
