import { claudeCodeProvider } from "../../lib/agents/claude_code/provider.ts";
import { codexProvider } from "../../lib/agents/codex/provider.ts";
import { assertEquals, assertMatch, assertNotMatch, assertRejects } from "@std/assert";
import { loadConfig } from "../../lib/config/load.ts";
import { toRunPlan } from "../../lib/config/plan.ts";
import { describeSource } from "../../lib/config/source.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { OFFERED_PROVIDER_IDS } from "../../lib/agents/mod.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";
import { FLAG_JOB } from "../support/jobs.ts";

/** What may be named as a provider. */
const OFFERED = OFFERED_PROVIDER_IDS.join(", ");
interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly flags?: Readonly<Record<string, unknown>>;
  readonly path?: string;
}

function load(dir: TempDir, { env = {}, flags = {}, path }: Given = {}) {
  return loadConfig({
    cwd: dir.path,
    env: (name) => env[name],
    flags,
    ...(path === undefined ? {} : { path }),
  });
}

/** The lines of the error that a config file's text gives, without the line that counts them. */
async function problemsOf(text: string, given: Given = {}): Promise<string[]> {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": text, "job.md": FLAG_JOB });
  const error = await assertRejects(() => load(dir, given), UsageError);
  return error.message.split("\n").slice(1).map((line) => line.trim().replaceAll(dir.path, "DIR"));
}

Deno.test("a job that stands in the config, and a path with a line break, are told with their place in one line", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{\n  "prompt": "Add a flag."\n}' });
  const error = await assertRejects(() => load(dir), UsageError);
  assertMatch(error.message, /^Cannot use prompt \(panewright\.jsonc:2:3\): the line "\*\*\* ORIGINAL/);
  const [broken, ...more] = await problemsOf('{ "wd": "a\\nb", "prompt_file": "job.md" }');
  assertMatch(broken!, /^panewright\.jsonc:1:3: wd names DIR\/a.*b, but there is no such folder$/);
  assertEquals(more, []);
});

Deno.test("flags go before the environment, that before the file, that before the defaults", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": `{
  "prompt_file": "job.md",
  "limits": { "max_rounds": 2, "max_review_cycles": 2, "review_evidence_min_match": 2 },
}`,
    "job.md": FLAG_JOB,
  });
  const { config, sources } = await load(dir, {
    env: { MAX_REVIEW_CYCLES: "4", MAX_ROUNDS: "4", POLL_SECONDS: "" },
    flags: { "max-rounds": 5 },
  });
  const effective = (path: string, value: unknown) => [value, describeSource(sources.get(path)!)];
  const { limits, handoff } = config;
  assertEquals(effective("limits.max_rounds", limits.max_rounds), [5, "flag --max-rounds"]);
  assertEquals(effective("limits.max_review_cycles", limits.max_review_cycles), [4, "env MAX_REVIEW_CYCLES"]);
  assertEquals(
    effective("limits.review_evidence_min_match", limits.review_evidence_min_match),
    [2, "panewright.jsonc:3"],
  );
  assertEquals(effective("handoff.poll_seconds", handoff.poll_seconds), [2, "default"]);
});

Deno.test("a limit that contradicts another one tells where that comes from", async () => {
  const contradicts = "a turn would be over before an idle agent has had that time";
  const handoff = '{ "prompt_file": "job.md",\n "handoff": { "idle_grace_seconds": 90 } }';
  assertEquals(await problemsOf(handoff, { env: { RESPONSE_TIMEOUT: "60" } }), [
    "panewright.jsonc:2:15: handoff.idle_grace_seconds is 90, but handoff.response_timeout is 60 (env RESPONSE_TIMEOUT): " +
    contradicts,
  ]);
  assertEquals(await problemsOf('{ "prompt_file": "job.md" }', { flags: { "idle-grace-seconds": 4000 } }), [
    `--idle-grace-seconds: is 4000, but handoff.response_timeout is 1800 (default): ${contradicts}`,
  ]);
});

Deno.test("a key that stands in the wrong place is not told with the mistake", async () => {
  const key = "sk-proj-abcdef0123456789abcdef0123456789abcd";
  for (const env of [`"OPENAI_API_KEY=${key}"`, `{ "OPENAI_API_KEY": ${key} }`]) {
    const [problem = ""] = await problemsOf(`{ "prompt_file": "job.md", "providers": { "codex": { "env": ${env} } } }`);
    assertMatch(problem, /must be an object|is not a JSON value/);
    assertNotMatch(problem, /abcdef/);
  }
});

Deno.test("the seeds' variables are read: switches as 1 and 0, figures as numbers", async () => {
  await using dir = await tempDir();
  await dir.write({ "job.md": FLAG_JOB });
  const { handoff } = toRunPlan(
    await load(dir, {
      env: {
        PANEWRIGHT_PROMPT_FILE: "job.md",
        POLL_SECONDS: "0.5",
        IDLE_GRACE_SECONDS: "10",
        RESPONSE_TIMEOUT: "60",
        STRICT_FILE_HANDOFF: "0",
        AUTO_ACCEPT_PERMISSIONS: "1",
        MAX_FILE_REMINDERS: "0",
      },
    }),
  );
  assertEquals(handoff, {
    pollSeconds: 0.5,
    idleGraceSeconds: 10,
    responseTimeoutSeconds: 60,
    strictFileHandoff: false,
    autoAcceptPermissions: true,
    acceptCooldownSeconds: 5,
    acceptCap: 20,
    maxErrorRetries: 8,
    errorRetrySeconds: 30,
    waitForUsageLimitReset: false,
    maxFileReminders: 0,
    maxResponseBytes: 1024 * 1024,
  });
});

Deno.test("paths of the file start from its folder, paths of flags and variables from the working directory", async () => {
  await using dir = await tempDir();
  await dir.write({
    "conf/panewright.jsonc": '{ "wd": "../project", "prompt_file": "job.md" }',
    "conf/job.md": FLAG_JOB,
    "project/x": "",
    "other/x": "",
    "job.md": FLAG_JOB.replace("Add a flag.", "Add another."),
  });
  const fromFile = await load(dir, { path: "conf/panewright.jsonc" });
  assertEquals([fromFile.workdir, fromFile.job.exploreSummary], [`${dir.path}/project`, "Add a flag."]);
  const overridden = await load(dir, {
    path: "conf/panewright.jsonc",
    env: { PANEWRIGHT_WD: "other" },
    flags: { "prompt-file": "job.md" },
  });
  assertEquals([overridden.workdir, overridden.job.exploreSummary], [`${dir.path}/other`, "Add another."]);
});

Deno.test("the working directory is the config file's folder where nothing is said, with every link resolved", async () => {
  await using dir = await tempDir();
  await dir.write({ "real/panewright.jsonc": '{ "prompt_file": "job.md" }', "real/job.md": FLAG_JOB });
  await Deno.symlink(`${dir.path}/real`, `${dir.path}/link`);
  assertEquals((await load(dir, { path: "link/panewright.jsonc" })).workdir, `${dir.path}/real`);
});

Deno.test("a prompt given above the file replaces the file's prompt_file", async () => {
  await using dir = await tempDir();
  await dir.write({ "panewright.jsonc": '{ "prompt_file": "missing.md" }' });
  const { job, sources } = await load(dir, { env: { PANEWRIGHT_PROMPT: FLAG_JOB } });
  assertEquals(job.scenarioTest, "Run it.");
  assertEquals(sources.has("prompt_file"), false);
});

Deno.test("a role's own entry goes before its provider's; variables of both are put together", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": `{
      "prompt_file": "job.md",
      "providers": { "codex": { "command": ["/opt/codex"], "args": ["-c", "a=1"], "env": { "A": "1", "B": "1" } } },
      "roles": {
        "programmer": { "args": [], "env": { "B": "2" }, "model": "big" },
        "tester": { "provider": "claude_code", "profile": "p" },
      },
    }`,
    "job.md": FLAG_JOB,
  });
  const { agents } = toRunPlan(await load(dir));
  const common = { provider: codexProvider, command: ["/opt/codex"] };
  assertEquals(agents.analyst as unknown, { ...common, args: ["-c", "a=1"], env: { A: "1", B: "1" } });
  assertEquals(agents.programmer as unknown, { ...common, args: [], env: { A: "1", B: "2" }, model: "big" });
  assertEquals(agents.tester as unknown, { provider: claudeCodeProvider, args: [], env: {}, profile: "p" });
});

Deno.test("the project's test command is an argv array or a string", async () => {
  await using dir = await tempDir();
  await dir.write({
    "panewright.jsonc": '{ "prompt_file": "job.md", "project_test_cmd": ["npm", "test"] }',
    "job.md": FLAG_JOB,
  });
  assertEquals(toRunPlan(await load(dir)).loop.projectTestCmd, ["npm", "test"]);
  const { loop } = toRunPlan(await load(dir, { env: { PROJECT_TEST_CMD: "npm test && true" } }));
  assertEquals(loop.projectTestCmd, "npm test && true");
});

Deno.test("unknown keys are refused at every level, with the nearest one and the list", async () => {
  assertEquals(
    await problemsOf(`{
  "prompt_file": "job.md",
  "limits": { "max_rouns": 3 },
  "tmux": { "colour": true },
  "roles": { "tester": { "modle": "x" } },
}`),
    [
      'panewright.jsonc:3:15: unknown key "max_rouns" in limits; did you mean "max_rounds"? Allowed here: max_turns, ' +
      "max_minutes, max_tokens, max_cost, max_rounds, max_review_cycles, min_review_cycles_before_approval, review_evidence_min_match, " +
      "at_review_limit, max_agent_restarts, max_rounds_without_change, max_turns_without_change, max_same_test_output, " +
      "max_same_command",
      'panewright.jsonc:4:13: unknown key "colour" in tmux. Allowed here: socket, session, cols, rows',
      'panewright.jsonc:5:26: unknown key "modle" in roles.tester; did you mean "model"? Allowed here: provider, ' +
      "driver, command, args, env, model, profile, limits",
    ],
  );
});

Deno.test("an unknown key that belongs in another group is told its place", async () => {
  const [exact = "", near = ""] = await problemsOf(
    '{ "prompt_file": "job.md",\n  "poll_seconds": 3,\n  "response_timout": 3 }',
  );
  assertEquals(
    exact.split(" Allowed")[0],
    'panewright.jsonc:2:3: unknown key "poll_seconds"; its place is handoff.poll_seconds.',
  );
  assertEquals(
    near.split(" Allowed")[0],
    'panewright.jsonc:3:3: unknown key "response_timout"; did you mean "handoff.response_timeout"?',
  );
});

Deno.test("unknown roles and providers are refused with the nearest one and the list", async () => {
  assertEquals(
    await problemsOf(`{
  "prompt_file": "job.md",
  "provider": "codx",
  "providers": { "claude": {} },
  "roles": { "analist": {}, "tester": { "provider": "aider" } },
}`),
    [
      `panewright.jsonc:3:3: provider must be one of ${OFFERED}, but is the string "codx"; did you mean "codex"?`,
      `panewright.jsonc:4:18: unknown provider "claude" in providers; did you mean "claude_code"? Allowed here: ${OFFERED}`,
      'panewright.jsonc:5:14: unknown role "analist" in roles; did you mean "analyst"? Allowed here: analyst, ' +
      "analyst_review, programmer, programmer_review, tester",
      `panewright.jsonc:5:41: roles.tester.provider must be one of ${OFFERED}, but is the string "aider"`,
    ],
  );
});

Deno.test("values of the wrong type or out of range are named with what they must be", async () => {
  assertEquals(
    await problemsOf(`{
  "prompt_file": "job.md",
  "cleanup_on_exit": "yes",
  "handoff": { "poll_seconds": 0, "response_timeout": "1800" },
  "limits": { "max_rounds": 2.5, "review_evidence_min_match": 5 },
  "permissions": null,
  "project_test_cmd": [],
  "roles": { "tester": { "command": [], "args": ["a", 5], "env": { "1a": "x" } } },
  "tmux": { "session": "a b" },
  "notifications": { "ntfy_topic": "a", "ntfy_url": "ftp://x" },
}`),
    [
      'panewright.jsonc:3:3: cleanup_on_exit must be true or false, but is the string "yes"',
      "panewright.jsonc:4:16: handoff.poll_seconds must be greater than 0, but is 0",
      'panewright.jsonc:4:35: handoff.response_timeout must be a number, but is the string "1800"',
      "panewright.jsonc:5:15: limits.max_rounds must be a whole number, but is 2.5",
      "panewright.jsonc:5:34: limits.review_evidence_min_match must be at most 4, but is 5",
      "panewright.jsonc:6:3: permissions must be an object, but is null",
      "panewright.jsonc:7:3: project_test_cmd[0] must not be empty: the first item is the program",
      "panewright.jsonc:8:26: roles.tester.command[0] must not be empty: the first item is the program",
      "panewright.jsonc:8:55: roles.tester.args[1] must be a string, but is 5",
      "panewright.jsonc:8:68: roles.tester.env.1a is not a name of an environment variable: it must be letters, digits " +
      "and _, and not begin with a digit",
      "panewright.jsonc:9:13: tmux.session must be a name of at most 64 characters that begins with a letter or digit and " +
      'has no space, colon or dot, but is the string "a b"',
      "panewright.jsonc:10:41: notifications.ntfy_url must be a web address (http:// or https://), but is the string " +
      '"ftp://x"',
    ],
  );
});

Deno.test("a key that is there twice is refused", async () => {
  assertEquals(await problemsOf('{ "prompt_file": "job.md",\n  "wd": ".",\n  "wd": "." }'), [
    'panewright.jsonc:3:3: the key "wd" is there twice in the same object',
  ]);
});

Deno.test("an error of syntax is the only problem that is named", async () => {
  assertEquals(await problemsOf('{\n  "prompt_file": "job.md"\n  "provider": "codx"\n}'), [
    'panewright.jsonc:3:3: a "," was expected here, between two entries',
  ]);
});

Deno.test("a file that holds something else than an object is refused", async () => {
  assertEquals((await problemsOf('["a"]'))[0], "panewright.jsonc:1:1: a config file must hold one object: { … }");
});

Deno.test("invalid variables and flags are named, all at once with what is wrong in the file", async () => {
  const problems = await problemsOf('{ "prompt_file": "job.md", "provider": 1 }', {
    env: { POLL_SECONDS: "2s", AUTO_ACCEPT_PERMISSIONS: "true", START_AGENT: "testr", MAX_ROUNDS: "0" },
    flags: { "max-review-cycles": 0 },
  });
  assertEquals(problems, [
    `panewright.jsonc:1:28: provider must be one of ${OFFERED}, but is 1`,
    "--max-review-cycles: must be at least 1, but is 0",
    'environment variable POLL_SECONDS: must be a number, such as 2 or 0.5, but is "2s"',
    'environment variable AUTO_ACCEPT_PERMISSIONS: must be 1 or 0, but is "true"',
    "environment variable START_AGENT: must be one of analyst, analyst_review, programmer, programmer_review, tester, " +
    'but is the string "testr"; did you mean "tester"?',
    "environment variable MAX_ROUNDS: must be at least 1, but is 0",
  ]);
});

Deno.test("the job has exactly one text", async () => {
  assertEquals(await problemsOf('{ "prompt": "a", "prompt_file": "job.md" }'), [
    "panewright.jsonc:1:18: prompt_file and prompt cannot both be given: the job has one text",
  ]);
  assertEquals(await problemsOf("{}"), ["there is no job: prompt_file or prompt must be given"]);
});

Deno.test("what the config points to must exist", async () => {
  assertEquals(await problemsOf('{ "wd": "nowhere", "prompt_file": "nothing.md" }'), [
    "panewright.jsonc:1:3: wd names DIR/nowhere, but there is no such folder",
    "panewright.jsonc:1:20: prompt_file names DIR/nothing.md, but there is no such file",
  ]);
  assertEquals(await problemsOf('{ "wd": "job.md", "prompt_file": "job.md" }'), [
    "panewright.jsonc:1:3: wd names DIR/job.md, but it is not a folder",
  ]);
});

Deno.test("a job that is not UTF-8 text is refused", async () => {
  await using dir = await tempDir();
  await Deno.writeFile(`${dir.path}/job.md`, new Uint8Array([0xff, 0xfe]));
  await assertRejects(() => load(dir, { flags: { "prompt-file": "job.md" } }), UsageError, "it is not UTF-8 text");
});

Deno.test("a job without its sections is refused with the job's own error", async () => {
  await using dir = await tempDir();
  await dir.write({ "job.md": "Do something." });
  await assertRejects(() => load(dir, { flags: { "prompt-file": "job.md" } }), UsageError, "Cannot use job.md: ");
});

Deno.test("without a config file the error says how to get one", async () => {
  await using dir = await tempDir();
  const error = await assertRejects(() => load(dir), UsageError);
  assertEquals(
    error.message,
    "Cannot use the configuration: 1 problem\n  there is no job: prompt_file or prompt must be given " +
      `(there is no panewright.jsonc in ${dir.path}; "panewright init" writes one)`,
  );
  await assertRejects(
    () => load(dir, { path: "other.jsonc" }),
    UsageError,
    "Cannot read the config file other.jsonc: there is no such file",
  );
});

Deno.test("a cap of costs needs prices, of a run, a role and a step; prices are checked to the last key", async () => {
  assertEquals(
    await problemsOf(`{
  "prompt_file": "job.md",
  "limits": { "max_cost": 5 },
  "roles": { "tester": { "limits": { "max_cost": 1.5 } } },
  "pipelines": { "main": [{ "name": "a", "prompt": "self", "check": { "type": "none" }, "limits": { "max_cost": 1 } }] },
}`),
    [
      "panewright.jsonc:3:15: limits.max_cost cannot be kept without prices",
      "panewright.jsonc:4:38: roles.tester.limits.max_cost cannot be kept without prices",
      "panewright.jsonc:5:101: pipelines.main[0].limits.max_cost cannot be kept without prices",
    ],
  );
  assertEquals(
    await problemsOf(`{
  "prompt_file": "job.md",
  "limits": { "max_cost": 0 },
  "prices": {
    "date": "yesterday",
    "models": { "m": { "input": -1, "cached_inptu": 2, "output": 3 } },
  },
}`),
    [
      "panewright.jsonc:3:15: limits.max_cost must be at least 0.01, but is 0",
      'panewright.jsonc:5:5: prices.date must be the day of the prices, such as 2026-11-01, but is the string "yesterday"',
      "panewright.jsonc:6:24: prices.models.m.input must be at least 0, but is -1",
      'panewright.jsonc:6:37: unknown key "cached_inptu" in prices.models.m; did you mean "cached_input"? Allowed here: ' +
      "input, cached_input, cache_write, output",
    ],
  );
});
