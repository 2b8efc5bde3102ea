import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { copy } from "@std/fs";
import { systemClock } from "../../lib/base/ports/clock.ts";
import type { ModelRequest } from "../lab/script.ts";
import type { Turn } from "../lab/steps.ts";
import { CLI_LABELS, type CliName } from "../support/clis.ts";
import { type CliProject, cliProject } from "./cli_project.ts";
import type { PrintedFact, StartedRun } from "./failures_stage.ts";
import { createReviewModel, responseTargetOf, workTurn } from "./review_model.ts";
import { answerOf, JOB, reviewProject } from "./review_project.ts";
import { limitOf, SUBSCRIPTION } from "./usage_limits.ts";

const OTHER = { codex: "claude_code", claude_code: "codex" } as const;

interface Staged {
  readonly provider: CliName;
  readonly also?: readonly CliName[];
  /** Whether the account that a request is of has nothing left. */
  readonly isLimited: (request: ModelRequest) => boolean;
  readonly config: Readonly<Record<string, unknown>>;
}

/** A project with a job for the tester and a pipeline of one step, whose own account is used up. */
async function stageOf({ provider, also = [], isLimited, config }: Staged): Promise<CliProject> {
  const respond = (request: ModelRequest): Turn => {
    if (isLimited(request)) return [{ do: "refuse", times: 20, ...limitOf(provider, 7200) }];
    const target = responseTargetOf(request.prompts.at(-1) ?? "");
    if (target === undefined) return [{ do: "say", text: "I have looked at it, it is as it should be." }];
    return workTurn(target, { commands: [], response: "RESULT: PASS\nIt is as it should be." });
  };
  return await cliProject({
    ...{ provider, also, respond },
    isRepository: true,
    claude: { settings: { env: { CLAUDE_CODE_MAX_RETRIES: "0", ...SUBSCRIPTION } } },
    files: {
      "job.md": JOB,
      "task.md": "Look at the greeting.\n",
      "panewright.jsonc": {
        provider,
        providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
        prompt_file: "job.md",
        start_agent: "tester",
        limits: { max_rounds: 1 },
        handoff: { poll_seconds: 0.5, error_retry_seconds: 0.5 },
        pipelines: { main: [{ name: "look", prompt: "self", check: { type: "none" } }] },
        ...config,
      },
    },
  });
}

/** What the address names that the other login's requests go to. */
const OTHER_LOGIN = "other-login";

async function tellApart({ env, sandbox }: CliProject, provider: CliName): Promise<void> {
  const folder = `${sandbox.home}/other-login`;
  if (provider === "codex") {
    const config = await Deno.readTextFile(`${folder}/config.toml`);
    const address = /http:\/\/127\.0\.0\.1:\d+/;
    assertMatch(config, address);
    return await Deno.writeTextFile(`${folder}/config.toml`, config.replace(address, `$&/s/${OTHER_LOGIN}`));
  }
  const settings = JSON.parse(await Deno.readTextFile(`${folder}/settings.json`));
  settings.env.ANTHROPIC_BASE_URL = `${env["ANTHROPIC_BASE_URL"]}/s/${OTHER_LOGIN}`;
  await Deno.writeTextFile(`${folder}/settings.json`, JSON.stringify(settings));
}

const isCodex = ({ model }: ModelRequest) => !model.startsWith("claude");

function ofType(run: StartedRun, type: string): readonly PrintedFact[] {
  return run.facts().filter((fact) => fact.type === type);
}

async function assertPassed(run: StartedRun): Promise<void> {
  const { code, stderr } = await run.program.ended;
  assertEquals(code, 0, stderr);
  const [finished] = ofType(run, "run_finished");
  assertEquals(finished?.["recovered"], [{ recovery: "fallback", class: "usage_limit", times: 1, seconds: 0 }]);
}

for (const provider of ["codex", "claude_code"] as const) {
  const other = OTHER[provider];

  Deno.test(`run: a real ${CLI_LABELS[other]} takes the place of a real ${CLI_LABELS[provider]} whose account is used up`, async () => {
    await using stage = await stageOf({
      ...{ provider, also: [other], config: { fallback: [other] } },
      isLimited: (request) => isCodex(request) === (provider === "codex"),
    });
    await using run = stage.watch("run");
    await assertPassed(run);
    const [failed] = ofType(run, "agent_failed");
    assertEquals([failed?.["class"], failed?.["recovery"], failed?.["login"]], ["usage_limit", "fallback", provider]);
    assert(Date.parse(String(failed?.["resetsAt"])) > Date.now());
    const started = ofType(run, "agent_starting").map((fact) => fact["provider"]);
    assertEquals(started, [provider, other]);
    assertEquals(ofType(run, "message_sent").map(({ what }) => what), ["prompt", "prompt"]);
    const { stdout } = await stage.run("logs");
    assertMatch(stdout, /tester failed \(usage_limit\): .*; another agent takes its place\n/);
    assertMatch((await stage.run("status")).stdout, /recovered: +usage limit once, another agent/i);
    await stage.sandbox.assertNothingLeft();
  });

  Deno.test(`exec: a real ${CLI_LABELS[other]} takes the place of a real ${CLI_LABELS[provider]} whose account is used up`, async () => {
    await using stage = await stageOf({
      ...{ provider, also: [other], config: { fallback: [other] } },
      isLimited: (request) => isCodex(request) === (provider === "codex"),
    });
    await using run = stage.watch("exec", "task.md");
    await assertPassed(run);
    const attempts = ofType(run, "attempt_started").map(({ login }) => login);
    assertEquals(attempts, [undefined, other]);
    const [recovering] = ofType(run, "attempt_recovering");
    assertEquals([recovering?.["class"], recovering?.["recovery"]], ["usage_limit", "fallback"]);
    await stage.sandbox.assertNothingLeft();
  });

  for (const job of [["run"], ["exec", "task.md"]]) {
    Deno.test(`${job[0]}: another login of a real ${CLI_LABELS[provider]} takes the place of one that is used up`, async () => {
      const login = "~/other-login";
      await using stage = await stageOf({
        ...{ provider, config: { fallback: [{ provider, login }] } },
        isLimited: ({ scenario }) => scenario !== OTHER_LOGIN,
      });
      const { home } = stage.sandbox;
      const own = provider === "codex" ? stage.env["CODEX_HOME"]! : `${home}/.claude`;
      await copy(own, `${home}/other-login`);
      if (provider === "claude_code") await copy(`${home}/.claude.json`, `${home}/other-login/.claude.json`);
      await tellApart(stage, provider);
      await using run = stage.watch(...job, "--trust");
      await assertPassed(run);
      const words = await stage.run("logs");
      assertStringIncludes(words.stdout, `${provider} (${login})`);
      // What the other one has said is kept with its own login.
      const sessions = provider === "codex" ? "sessions" : "projects";
      assertEquals((await Deno.stat(`${home}/other-login/${sessions}`)).isDirectory, true);
      await stage.sandbox.assertNothingLeft();
    });
  }
}

Deno.test("run: once its limit is reset the role's own agent plays again, and others with that account were left alone", async () => {
  let resetMs = 0;
  const model = createReviewModel(answerOf);
  await using stage = await reviewProject({
    provider: "claude_code",
    also: ["codex"],
    claude: { settings: { env: { CLAUDE_CODE_MAX_RETRIES: "0", ...SUBSCRIPTION } } },
    async respond(request) {
      const name = responseTargetOf(request.prompts.at(-1) ?? "")?.name;
      if (name === "test_result" && resetMs === 0) {
        // It is told to the minute.
        resetMs = Math.ceil((Date.now() + 10_000) / 60_000) * 60_000;
        const seconds = Math.ceil((resetMs - Date.now()) / 1000);
        return [{ do: "refuse", times: 20, ...limitOf("claude_code", seconds) }];
      }
      // Who reviews the work of the second round answers when the limit is reset.
      if (name === "programmer_review") await systemClock.sleep(Math.max(0, resetMs - Date.now()));
      return await model.respond(request);
    },
    config: { start_agent: "tester", fallback: ["codex"] },
  });
  await using run = stage.watch("run");
  const { code, stderr } = await run.program.ended;
  assertEquals(code, 0, stderr);
  const started = (role: string) =>
    ofType(run, "agent_starting").filter((fact) => fact["role"] === role).map((fact) => fact["provider"]);
  assertEquals(started("tester"), ["claude_code", "codex", "claude_code"]);
  assertEquals(started("programmer_review"), ["codex", "claude_code"]);
  assertEquals(ofType(run, "agent_failed").length, 1);
  await stage.sandbox.assertNothingLeft();
});

Deno.test("run: an agent that cannot be started takes no place: the next one does, and the run says why", async () => {
  await using stage = await stageOf({
    provider: "codex",
    also: ["claude_code"],
    config: { fallback: [{ provider: "codex", login: "~/broken-login" }, "claude_code"] },
    isLimited: isCodex,
  });
  const broken = `${stage.sandbox.home}/broken-login`;
  await copy(stage.env["CODEX_HOME"]!, broken);
  await using run = stage.watch("run", "--trust");
  // It was in order when the run began.
  await run.fact("message_sent");
  await Deno.writeTextFile(`${broken}/config.toml`, "model = \n");
  const { code, stderr } = await run.program.ended;
  assertEquals(code, 0, stderr);
  const failed = [...ofType(run, "agent_failed"), ...ofType(run, "agent_unusable")];
  assertEquals(failed.map(({ class: failure, login }) => [failure, login]), [
    ["usage_limit", "codex"],
    ["other", "codex (~/broken-login)"],
  ]);
  assertEquals(ofType(run, "agent_starting").at(-1)?.["provider"], "claude_code");
  await stage.sandbox.assertNothingLeft();
});
