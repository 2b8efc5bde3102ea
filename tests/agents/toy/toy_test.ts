/** Everything about the toy agent is in this folder: no list, schema or message elsewhere names it. */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { loadConfig } from "../../../lib/config/load.ts";
import { screenSchema } from "../../../lib/screen/rules_schema.ts";
import { UsageError } from "../../../lib/base/errors.ts";
import { systemProcessRunner } from "../../../lib/base/ports/process.ts";
import { PROVIDERS } from "../../../lib/agents/mod.ts";
import { classify, parseScreen } from "../../../lib/screen/mod.ts";
import { FLAG_JOB } from "../../support/jobs.ts";
import { createSandbox } from "../../support/sandbox.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { toyProvider } from "./provider.ts";
import { toyProject } from "./toy_project.ts";

const FOLDER = new URL(".", import.meta.url).pathname;

Deno.test("a provider from a single folder runs a review loop to PASS, and the doctor finds it", async () => {
  await using sandbox = await createSandbox();
  const { argv, env } = await toyProject(sandbox, { limits: { min_review_cycles_before_approval: 1 } });
  const { stdout, stderr, code } = await systemProcessRunner.run({
    argv,
    cwd: sandbox.project,
    clearEnv: true,
    env,
    timeoutMs: 120_000,
  });
  assertEquals(code, 0, stderr);
  const printed = stdout.trim().split("\n").map((line) => JSON.parse(line));
  const detail = `${Deno.execPath()} of the config is there; doctor does not run it`;
  assertEquals(printed.find(({ check }) => check === "Toy"), { check: "Toy", status: "ok", detail });
  assertEquals(printed.some(({ check }) => check === "Codex"), false, "agents that are not named are not looked at");
  const end = printed.at(-1);
  assertEquals([end.outcome, end.agents], ["pass", ["toy", "toy", "toy", "toy", "toy"]]);
  await sandbox.assertNothingLeft();
});

Deno.test("a configuration may name a provider that was handed in, with rules of its own, and is told of it in its mistakes", async () => {
  await using dir = await tempDir();
  const load = async (config: unknown, providers = [...PROVIDERS, toyProvider]) => {
    await dir.write({ "job.md": FLAG_JOB, "panewright.jsonc": JSON.stringify(config) });
    return await loadConfig({ cwd: dir.path, env: () => undefined, providers });
  };
  const wrong = async (config: unknown) => (await assertRejects(() => load(config), UsageError)).message;
  const common = { provider: "toy", prompt_file: "job.md" };
  const rule = { id: "tea", status: "waiting_user_answer", dialog: ["tea"] };
  const { providers } = await load({ ...common, rules: { toy: [rule] } });
  const pack = providers.find(({ id }) => id === "toy")?.terminal?.rules;
  assert(pack?.rules.some(({ id }) => id === "tea"));
  assertEquals(providers.filter((provider) => PROVIDERS.includes(provider)).length, PROVIDERS.length);

  assertStringIncludes(
    await wrong({ ...common, provider: "toi" }),
    'acp, toy, but is the string "toi"; did you mean "toy"?',
  );
  assertStringIncludes(
    await wrong({ ...common, rules: { toy: [{ ...rule, dialog: ["coffee"] }] } }),
    'names a dialog "coffee", but there are tea, other',
  );
  assertStringIncludes(
    (await assertRejects(() => load(common, [...PROVIDERS]), UsageError)).message,
    'codex_acp, acp, but is the string "toy"',
  );
});

Deno.test("the toy's screens are written in the form of the built-in ones, and read like them", async () => {
  const data = JSON.parse(await Deno.readTextFile(`${FOLDER}screen.json`));
  assertEquals(screenSchema().safeParse(data).error?.issues, undefined);
  const line = "~".repeat(40);
  const told = (...rows: string[]) => {
    const { status, rule } = classify(parseScreen(rows.join("\n"), { command: "deno" }), toyProvider.terminal.rules);
    return [status, rule];
  };
  assertEquals(told("--- toy ---", line, "toy>", line, "ready"), ["idle", "composer"]);
  assertEquals(told("[you] hi", line, "toy>", line, "busy"), ["processing", "footer-busy"]);
  assertEquals(told("[you] hi", "[toy] written", line, "toy>", line, "ready"), ["completed", "answered"]);
});
