/** Roles whose agents have no pane: their CLI is started for each message, in the session of the one before. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { exists, walk } from "@std/fs";
import { processesWith } from "../agents/process/support.ts";
import { parseEvents } from "../support/panewright.ts";
import { until } from "../support/until.ts";
import { answerOf, type ReviewProject, reviewProject } from "./review_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

const ALL_ROLES = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"];

const WITHOUT_PANE = { driver: "process", args: ["--skip-git-repo-check"] };

Deno.test("driver process: five roles of the real Codex take a job to PASS without a terminal, and beside panes", async () => {
  for (const roles of [["programmer"], ALL_ROLES]) {
    const config = { roles: Object.fromEntries(roles.map((role) => [role, WITHOUT_PANE])) };
    await using project = await reviewProject({ config });
    const { sandbox: { project: cwd }, server, model } = project;
    const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
    assertEquals(code, 0, stderr + stdout);
    const events = parseEvents(stdout);
    const all = (type: string) => events.filter((event) => event.type === type);
    const driven = all("agent_starting").filter(({ protocol }) => protocol === "process").map(({ role }) => role);
    assertEquals([...new Set(driven)].sort(), [...roles].sort());
    assertEquals(all("round_finished").map(({ verdict }) => verdict), ["FAIL", "PASS"]);
    assertEquals(await Deno.readTextFile(`${cwd}/greeting.txt`), "hello, world\n");
    // Each role has one conversation, whatever drives it.
    const replies = server.log.entries.filter(({ event }) => event === "busy").length;
    assertEquals(events.at(-1)?.usage?.["gpt-6.1-sol"]?.inputTokens, 1200 * replies);
    // Each turn's prompt reached the model once.
    const prompts = [...model.prompts.values()].reduce((sum, each) => sum + each.length, 0);
    assertEquals(prompts, all("turn_started").length);
  }
});

Deno.test("driver process: a role whose provider cannot be driven so is told with its line, and nothing is started", async () => {
  const config = {
    roles: { tester: { driver: "acp" } },
    pipelines: { main: [{ name: "a", prompt: "self", driver: "pane", check: { type: "none" } }] },
  };
  await using project = await reviewProject({ config });
  const { code, stderr } = await project.run("run", "panewright.jsonc");
  assertEquals(code, 2);
  assertStringIncludes(stderr, 'roles.tester.driver is "acp", but codex is driven by pane or process; ');
  assertStringIncludes(stderr, 'pipelines.main[0].driver is "pane", but a step has no pane');
  assertStringIncludes(stderr, "panewright.jsonc:1:");
});

/** A job whose analyst has no pane, and runs commands in its first turn before it does its work. */
function analystThatRuns(
  commands: readonly string[],
  { permissions, roles = ["analyst"] }: {
    readonly permissions: Readonly<Record<string, unknown>>;
    readonly roles?: readonly string[];
  },
): Promise<ReviewProject> {
  const turns = new Map<string, number>();
  return reviewProject({
    config: { roles: Object.fromEntries(roles.map((role) => [role, WITHOUT_PANE])), permissions },
    respond(request) {
      const target = responseTargetOf(request.prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const turn = (turns.get(target.name) ?? 0) + 1;
      turns.set(target.name, turn);
      const work = workTurn(target, answerOf(target.name, turn), { thinkMs: 50 });
      const isFirst = target.name === "analyst_summary" && turn === 1;
      return [...isFirst ? commands.map((command) => ({ do: "shell", command }) as const) : [], ...work];
    },
  });
}

for (const driver of ["process", "pane"]) {
  Deno.test(`driver ${driver}: what the policy denies does not run, and is on record as on every other way`, async () => {
    await using project = await analystThatRuns(["touch forbidden.txt", "touch allowed.txt"], {
      permissions: { deny: ["touch forbidden.txt"] },
      roles: driver === "process" ? ["analyst"] : [],
    });
    const { project: cwd } = project.sandbox;
    const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
    assertEquals(code, 0, stderr + stdout);
    assert(await exists(`${cwd}/allowed.txt`));
    assert(!await exists(`${cwd}/forbidden.txt`));
    const decided = parseEvents(stdout).filter(({ type }) => type === "dialog_answered" || type === "call_decided");
    assertStringIncludes(JSON.stringify(decided), "touch forbidden.txt");
  });
}

Deno.test("driver process: what the policy names runs in a dry run, and the audit log has what it says of that", async () => {
  await using project = await analystThatRuns(["touch denied.txt", "touch asked.txt", "touch other.txt"], {
    permissions: { dry_run: true, deny: ["touch denied.txt"], ask: ["touch asked.txt"] },
    roles: ALL_ROLES,
  });
  const { project: cwd } = project.sandbox;
  const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
  assertEquals(code, 0, stderr + stdout);
  for (const name of ["denied", "asked", "other"]) assert(await exists(`${cwd}/${name}.txt`), name);
  const [runId = ""] = Array.from(Deno.readDirSync(`${cwd}/.panewright/runs`), ({ name }) => name);
  const audit = await Deno.readTextFile(`${cwd}/.panewright/runs/${runId}/audit.ndjson`);
  const records = audit.trim().split("\n").map((line) => JSON.parse(line)).filter(({ type }) => type === "decision");
  assertEquals(records.map(({ role, decision, command }) => [role, decision, command]), [
    ["analyst", "deny", "touch denied.txt"],
    ["analyst", "ask", "touch asked.txt"],
  ]);
  assertMatch(records[0].terminal, /^process:/);
  assertEquals((await project.run("audit", "verify", runId)).code, 0);
});

Deno.test("driver process: where panewright is killed while a person is waited for, the call is refused, and all ends by itself", async () => {
  await using project = await analystThatRuns(["touch asked.txt"], {
    permissions: { ask: ["touch asked.txt"] },
    roles: ALL_ROLES,
  });
  const { project: cwd, root } = project.sandbox;
  await using run = project.start("run", "panewright.jsonc", "--json");
  const waits = () => run.output.stdout.includes('"type":"dialog_waiting"');
  await until(waits, (is) => is, () => `${run.output.stdout}${run.output.stderr}`);
  run.kill("SIGKILL");
  await run.ended;
  await until(() => processesWith(root), (found) => found.length === 0);
  assert(!await exists(`${cwd}/asked.txt`));
  const logs = await Array.fromAsync(walk(`${root}/codex-home/sessions`, { exts: ["jsonl"] }));
  const told = await Promise.all(logs.map(({ path }) => Deno.readTextFile(path)));
  assertStringIncludes(told.join(""), "panewright does not answer whether this may be done.");
});
