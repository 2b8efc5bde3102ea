/** Roles of a configuration's own: what is said of them, and what is refused, with its place. */
import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import type { Problem } from "../../lib/config/layers.ts";
import { loadConfig, loadSettings } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { attemptsIn } from "../../lib/jobs/review_loop/plan.ts";
import { FLAG_JOB } from "../support/jobs.ts";
import { tempDir } from "../support/temp_dir.ts";

async function load(config: Readonly<Record<string, unknown>>, flags: Readonly<Record<string, unknown>> = {}) {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": JSON.stringify({ prompt_file: "job.md", ...config }, undefined, 2),
    "job.md": FLAG_JOB,
    "security.md": "Look for holes.\n",
    "empty.md": "\n",
  });
  const warnings: Problem[] = [];
  const loaded = await loadConfig({
    cwd: dir.path,
    env: () => undefined,
    flags,
    onWarning: (one) => warnings.push(one),
  });
  return { plan: toRunPlan(loaded), warnings: warnings.map(({ message }) => message) };
}

/** What is told where only steps are to be done. */
async function warningsOfSteps(config: Readonly<Record<string, unknown>>): Promise<readonly string[]> {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": JSON.stringify(config), "security.md": "Look for holes.\n" });
  const warnings: string[] = [];
  await loadSettings({ cwd: dir.path, env: () => undefined, onWarning: ({ message }) => warnings.push(message) });
  return warnings;
}

const SECURITY = { reviews: "programmer", prompt: "security.md", provider: "claude_code", model: "opus" };
const LOOP = "programmer, programmer_review, security, tester";

Deno.test("a role of one's own has an agent, words and a place as the five have", async () => {
  const { plan, warnings } = await load({
    loop: LOOP,
    roles: { security: SECURITY },
    permissions: { deny: [{ command: "curl **", roles: ["security"] }] },
    mended_by: "programmer",
    start_agent: "security",
  });
  assertEquals(warnings, []);
  const agent = plan.agents["security"]!;
  assertEquals([agent.provider.id, agent.model], ["claude_code", "opus"]);
  assertEquals(plan.words, { security: "Look for holes.\n" });
  assertEquals(plan.loop.ownRoles, { security: { gives: "review", reviews: "programmer" } });
  assertEquals([plan.loop.mendedBy, plan.loop.startAgent], ["programmer", "security"]);
});

Deno.test("a role that the loop does not call is told, and refuses nothing", async () => {
  const { warnings } = await load({ roles: { security: SECURITY } });
  assertEquals(await warningsOfSteps({ roles: { security: SECURITY } }), []);
  assertEquals(warnings, [
    "roles.security is called by nobody: the loop review has only analyst, analyst_review, programmer, programmer_review, tester",
  ]);
});

Deno.test("the work of one role is done several times, with its own agent or those of attempts in turn", async () => {
  const attempts = async (config: Readonly<Record<string, unknown>>) => {
    const { plan } = await load({ roles: { programmer: { attempts: 3, model: "a" } }, ...config });
    const { agents = [], ...tried } = attemptsIn(plan) ?? {};
    return { ...tried, agents: agents.map(({ provider, model }) => [provider.id, model]) };
  };
  const own = { role: "programmer", count: 3, isFirst: false };
  assertEquals(await attempts({}), { ...own, agents: [] });
  const exec = { attempt_agents: [{ provider: "codex" }, { provider: "claude_code", model: "b" }] };
  assertEquals(await attempts({ exec }), { ...own, agents: [["codex", "a"], ["claude_code", "b"]] });
  assertEquals(await attempts({ start_agent: "programmer" }), { ...own, isFirst: true, agents: [] });
  assertEquals(await attempts({ start_agent: "tester" }), { agents: [] });
  const { plan } = await load({ roles: { programmer: { attempts: 1 } } });
  assertEquals(attemptsIn(plan), undefined);
});

const MISTAKES: readonly (readonly [string, Readonly<Record<string, unknown>>, string])[] = [
  [
    "a name near one of the five",
    { roles: { programer: { model: "x" } } },
    'unknown role "programer" in roles; did you mean "programmer"?',
  ],
  [
    "a name near none of the five",
    { roles: { boss: {} } },
    'unknown role "boss" in roles. Allowed here: analyst, analyst_review, programmer, programmer_review, tester',
  ],
  [
    "no prompt",
    { loop: LOOP, roles: { security: { reviews: "programmer" } } },
    "roles.security is a role of your own and has no prompt",
  ],
  [
    "a prompt that is empty",
    { loop: LOOP, roles: { security: { ...SECURITY, prompt: "empty.md" } } },
    "but it is empty",
  ],
  [
    "a review of nobody",
    { loop: LOOP, roles: { security: { gives: "review", prompt: "security.md" } } },
    "roles.security gives a review, but does not say of whose work",
  ],
  [
    "work that reviews",
    { loop: LOOP, roles: { security: { ...SECURITY, gives: "work" } } },
    "roles.security.reviews is there, but the role gives work",
  ],
  [
    "a review of a role that is not there",
    { loop: LOOP, roles: { security: { ...SECURITY, reviews: "programer" } } },
    'roles.security.reviews names "programer", but there is no such role (did you mean "programmer"?)',
  ],
  [
    "the name of a loop",
    { roles: { solo: { gives: "work", prompt: "security.md" } } },
    "roles.solo is the name of a loop",
  ],
  [
    "a name with a capital",
    { roles: { Security: { gives: "work", prompt: "security.md" } } },
    "roles.Security is not a valid role name",
  ],
  ["one of the five made anew", { roles: { tester: { gives: "work" } } }, 'unknown key "gives" in roles.tester'],
  [
    "a loop with a role that is not there",
    { loop: "programmer, securty, tester", roles: { security: SECURITY } },
    'there is no role "securty" (did you mean "security"?)',
  ],
  [
    "a start that is no role",
    { start_agent: "boss" },
    "start_agent must be one of analyst, analyst_review, programmer, programmer_review, tester, but is the string",
  ],
  [
    "a rule for a role that is not there",
    { permissions: { deny: [{ command: "x", roles: ["testr"] }] } },
    'permissions.deny[0].roles[0] must be one of analyst, analyst_review, programmer, programmer_review, tester, but is the string "testr"; did you mean "tester"?',
  ],
  ["no attempt", { roles: { programmer: { attempts: 0 } } }, "roles.programmer.attempts must be"],
  [
    "attempts of a review",
    { roles: { programmer_review: { attempts: 2 } } },
    "roles.programmer_review.attempts is there, but the programmer_review gives a review: only work is done several times",
  ],
  [
    "a role that works, of whose work nothing would stay",
    { roles: { programmer: { isolation: "workspace" } } },
    "roles.programmer.isolation is workspace, but the programmer works: nothing would stay of what it does",
  ],
  [
    "a tester that writes the tests, of which nothing would stay",
    { loop: "spec-first", project_test_cmd: ["true"], roles: { tester: { isolation: "workspace" } } },
    "roles.tester.isolation is workspace, but the tester works",
  ],
  [
    "attempts of two roles",
    { roles: { analyst: { attempts: 2 }, programmer: { attempts: 2 } } },
    "roles.programmer.attempts is there, and so is that of the analyst: only one role's work is done several times",
  ],
  [
    "somebody mends who is not there",
    { loop: "programmer, tester", mended_by: "analyst" },
    "it has no analyst, who is to mend what fails",
  ],
];

for (const [what, config, message] of MISTAKES) {
  Deno.test(`a mistake in the roles is refused with its place: ${what}`, async () => {
    const { message: told, hint = "" } = await assertRejects(() => load(config), UsageError);
    assertStringIncludes(`${told}\n${hint}`, message);
  });
}
