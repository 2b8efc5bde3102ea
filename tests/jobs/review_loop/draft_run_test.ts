import { assertEquals, assertStringIncludes } from "@std/assert";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { toyProject } from "../../agents/toy/toy_project.ts";
import { createSandbox } from "../../support/sandbox.ts";

Deno.test("keys between paste and Enter that stay: the run needs a person, and their words are still in the pane", async () => {
  await using sandbox = await createSandbox();
  const { project } = sandbox;
  const toy = await toyProject(sandbox, {
    agentEnv: { TOY_TYPED: " please wait" },
    start_agent: "tester",
    limits: { max_rounds: 1 },
    permissions: { dialog_timeout_seconds: 0.5 },
    tmux: { cols: 100, rows: 30, socket: "drafts" },
  });
  const run = (...command: readonly [string, ...string[]]) =>
    systemProcessRunner.run({
      argv: command,
      cwd: project,
      clearEnv: true,
      env: toy.env,
      timeoutMs: 120_000,
    });
  const { stderr } = await run(...toy.argv);
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
