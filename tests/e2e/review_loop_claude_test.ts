import { assertEquals, assertNotMatch } from "@std/assert";
import type { ModelServer } from "../lab/model_server.ts";
import { parseEvents } from "../support/panewright.ts";
import { reviewProject } from "./review_project.ts";

const ROLES = ["analyst", "analyst_review", "programmer", "programmer_review", "tester"] as const;

for (
  const [name, claudeRoles, settings] of [
    ["five real Claude Code agents", ROLES, { providers: { claude_code: { args: ["--allowedTools", "Bash"] } } }],
    [
      "real Codex agents and Claude Code as reviewers, whose dialogs are accepted,",
      ["analyst_review", "programmer_review"],
      { permissions: { auto_accept: true, accept_cooldown_seconds: 0 } },
    ],
  ] as const
) {
  Deno.test(`run takes a job with ${name} to PASS in two rounds`, async () => {
    await using project = await reviewProject({
      provider: "codex",
      also: ["claude_code"],
      config: {
        providers: {},
        ...settings,
        roles: Object.fromEntries(claudeRoles.map((role) => [role, { provider: "claude_code" }])),
      },
    });
    const { model, sandbox, servers: { codex: openAi, claude_code: anthropic } } = project;
    const { code, stdout, stderr } = await project.run("run", "panewright.jsonc", "--json");
    assertEquals(code, 0, stderr);
    const events = parseEvents(stdout);
    const last = events.at(-1);
    assertEquals([last?.type, last?.outcome, last?.rounds], ["run_finished", "pass", 2]);
    assertEquals(events.filter((event) => event.type === "response_received").length, 14);
    assertNotMatch(stdout, /"type":"(?:dialog_waiting|reminder_sent)"/);
    const accepted = events.filter((event) => event.type === "dialog_answered");
    assertEquals(accepted.length, "permissions" in settings ? 6 : 0);
    // The hooks of each CLI bear witness to the ends of turns.
    const told = (role: string) =>
      events.some((event) =>
        event.type === "status_changed" && event.role === role && /\bhook Stop of turn /.test(event.record ?? "")
      );
    const others = ROLES.filter((role) => !new Set<string>(claudeRoles).has(role));
    assertEquals([claudeRoles, others].map((roles) => roles.some(told)), [true, others.length > 0]);
    const countOf = (type: string) => events.filter((event) => event.type === type).length;
    assertEquals([countOf("note"), countOf("warning")], [accepted.length, 0]);
    // The model servers tell of the same input with each reply, and the CLIs' records of all of it.
    const inputOf = (server: ModelServer | undefined, tokens: number) =>
      server!.log.entries.filter(({ event }) => event === "busy").length * tokens;
    const counted = Object.values(last?.usage ?? {}).map(({ inputTokens }) => inputTokens);
    assertEquals(counted.reduce((sum, each) => sum + each, 0), inputOf(anthropic, 1000) + inputOf(openAi, 1200));
    // Each prompt reached the model of its role's CLI once.
    const threads = (server: ModelServer | undefined) =>
      new Set(server!.log.entries.flatMap((entry) => entry.event === "busy" ? [entry.thread] : [])).size;
    assertEquals([threads(anthropic), threads(openAi)], [claudeRoles.length, ROLES.length - claudeRoles.length]);
    assertEquals([...model.prompts.values()].reduce((sum, prompts) => sum + prompts.length, 0), 14);
    assertEquals(await Deno.readTextFile(`${sandbox.project}/greeting.txt`), "hello, world\n");
    await sandbox.assertNothingLeft();
  });
}
