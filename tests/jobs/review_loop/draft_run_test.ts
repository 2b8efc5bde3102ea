import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/ports/process.ts";
import { panewrightFromSource } from "../../support/panewright.ts";
import { createSandbox } from "../../support/sandbox.ts";

const ROOT = new URL("../../../", import.meta.url).pathname;
const TOY = `${ROOT}tests/providers/toy`;

const JOB = `Shout.

*** ORIGINAL EXPLORE SUMMARY ***
Add a --shout flag to the greeter in src/greet.ts.

*** SCENARIO TEST ***
1. \`greet --shout Ada\` prints HELLO ADA
`;

Deno.test("keys between paste and Enter that stay: the run needs a person, and their words are still in the pane", async () => {
  await using sandbox = await createSandbox();
  const { argv, env } = await panewrightFromSource();
  const { project } = sandbox;
  const deno: [string, ...string[]] = [argv[0], "run", "--quiet", `--config=${ROOT}deno.json`, "--no-prompt"];
  const agent = [...deno, "--allow-env=TOY_TYPED", `--allow-read=${project}`, `--allow-write=${project}`];
  const config = {
    provider: "toy",
    providers: { toy: { command: [...agent, `${TOY}/toy_agent.ts`], env: { ...env, TOY_TYPED: " please wait" } } },
    prompt_file: "job.md",
    start_agent: "tester",
    limits: { max_rounds: 1 },
    handoff: { poll_seconds: 0.2 },
    permissions: { dialog_timeout_seconds: 0.5 },
    tmux: { cols: 100, rows: 30, socket: "drafts" },
    quiet_seconds: 0.5,
  };
  await Deno.writeTextFile(`${project}/job.md`, JOB);
  await Deno.writeTextFile(`${project}/panewright.jsonc`, JSON.stringify(config));
  const run = (...command: [string, ...string[]]) =>
    systemProcessRunner.run({
      argv: command,
      cwd: project,
      clearEnv: true,
      env: { ...sandbox.env, ...env },
      timeoutMs: 120_000,
    });
  const { stderr } = await run(...deno, "--allow-all", `${TOY}/run_toy.ts`, "panewright.jsonc");
  assertStringIncludes(stderr, "DraftInTheWayError");

  const records = await recordsOf(project);
  const ofType = (type: string) => records.filter((record) => record.type === type);
  assertEquals(ofType("agent_starting").map(({ role }) => role), ["tester"], "the run needs nobody else");
  assertEquals(ofType("message_sending").map(({ step }) => step), ["paste"], "Enter was not pressed");
  assertEquals(ofType("message_held").map(({ obstacle }) => obstacle), ["draft"]);
  assertEquals(ofType("panes_left").length, 1);
  assertEquals(ofType("run_finished").map(({ outcome }) => outcome), ["needs_human"]);
  const [ready] = ofType("agent_ready");
  const { stdout } = await run(
    "tmux",
    "-L",
    "drafts",
    "capture-pane",
    "-p",
    "-J",
    "-S",
    "-",
    "-t",
    `${ready?.terminalId}`,
  );
  assertStringIncludes(stdout, " please wait");

  await run("tmux", "-L", "drafts", "kill-server");
});

type JournalRecord = Readonly<Record<string, unknown>>;

async function recordsOf(project: string): Promise<readonly JournalRecord[]> {
  const runs = `${project}/.panewright/runs`;
  const [entry] = await Array.fromAsync(Deno.readDir(runs));
  const journal = await Deno.readTextFile(`${runs}/${entry?.name}/journal.ndjson`);
  return journal.trim().split("\n").map((line) => JSON.parse(line));
}
