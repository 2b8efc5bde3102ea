/** Roles whose agents have no pane: their CLI is started for each message, in the session of the one before. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { parseEvents } from "../support/panewright.ts";
import { answerOf, reviewProject } from "./review_project.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";

Deno.test("driver process: five roles of the real Codex take a job to PASS without a terminal, and beside panes", async () => {
  for (const roles of [["programmer"], ["analyst", "analyst_review", "programmer", "programmer_review", "tester"]]) {
    const config = {
      roles: Object.fromEntries(roles.map((role) => [role, { driver: "process", args: ["--skip-git-repo-check"] }])),
    };
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

Deno.test("driver process: what the policy denies does not run, and is on record as on every other way", async () => {
  const turns = new Map<string, number>();
  await using project = await reviewProject({
    config: {
      roles: { analyst: { driver: "process", args: ["--skip-git-repo-check"] } },
      permissions: { deny: ["touch forbidden.txt"] },
    },
    respond(request) {
      const target = responseTargetOf(request.prompts.at(-1) ?? "");
      if (target === undefined) return [{ do: "say", text: "I was given no response file." }];
      const turn = (turns.get(target.name) ?? 0) + 1;
      turns.set(target.name, turn);
      const work = workTurn(target, answerOf(target.name, turn), { thinkMs: 50 });
      return target.name === "analyst_summary" && turn === 1
        ? [{ do: "shell", command: "touch forbidden.txt" }, { do: "shell", command: "touch allowed.txt" }, ...work]
        : work;
    },
  });
  const { project: cwd } = project.sandbox;
  const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
  assertEquals(code, 0, stderr + stdout);
  assert(await exists(`${cwd}/allowed.txt`));
  assert(!await exists(`${cwd}/forbidden.txt`));
  const decided = parseEvents(stdout).filter(({ type }) => type === "dialog_answered" || type === "call_decided");
  assertStringIncludes(JSON.stringify(decided), "touch forbidden.txt");
});
