import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Turn } from "../lab/steps.ts";
import type { CliName } from "../support/clis.ts";
import { parseEvents } from "../support/panewright.ts";
import { until } from "../support/until.ts";
import { responseTargetOf, workTurn } from "./review_model.ts";
import { reviewProject } from "./review_project.ts";

/** A reply takes as long as a quick one of a real model, and calls a tool that is done at once. */
const REPLY = [{ do: "wait", ms: 2000 }, { do: "shell", command: "true" }] as const;
/** The models of the servers tell of 1000 to 1200 tokens a reply: the fourth reaches each of the caps. */
const TOKENS = 3900;
const COST = 3.9;
const REPLIES = 4;

/** A model that calls tools for ever. */
const SPINS: Turn = Array.from({ length: 200 }, () => REPLY).flat();
/** One that never finishes the reply after the one that reaches the cap. */
const HANGS: Turn = [...Array.from({ length: REPLIES }, () => REPLY).flat(), { do: "hang" }];

/** What the CLIs call the models that they ask for. */
const MODELS = { codex: "gpt-6.1-sol", claude_code: "claude-opus-5-5" } as const;

for (const provider of ["codex", "claude_code"] as const satisfies readonly CliName[]) {
  for (
    const [what, turn, limits, { name, cap }] of [
      ["spins", SPINS, { limits: { max_tokens: TOKENS } }, { name: "max_tokens", cap: TOKENS }],
      [
        "never finishes",
        HANGS,
        { roles: { tester: { limits: { max_cost: COST } } } },
        { name: "tester.max_cost", cap: COST },
      ],
    ] as const
  ) {
    Deno.test(`${name}, ${provider}, a model that ${what}: at most one reply beyond the cap; --raise continues`, async () => {
      await using tester = await setUpTester(provider, turn);
      const { sandbox, replies } = tester;
      await tester.configure(limits);

      const capped = await tester.run("run");
      assertEquals(capped.code, 3, capped.stderr);
      assertStringIncludes(capped.stderr, `Cannot continue: the cap ${name} (${cap}) is reached`);
      assert(replies() <= REPLIES + 1, `${replies()} replies were asked for`);
      const end = parseEvents(capped.stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
      assertMatch(end?.resumeCommand ?? "", new RegExp(` --raise '?${RegExp.escape(`${name}=${2 * cap}`)}'?$`));
      const [used] = Object.values(end?.usageByRole?.tester ?? {});
      assert(used !== undefined && used.inputTokens >= REPLIES * 1000, capped.stdout);
      assertEquals(end?.usage, { [MODELS[provider]]: used });
      assertEquals(end?.cost?.total, used.inputTokens / 1000);
      await sandbox.assertNothingLeft();

      const asked = replies();
      const refused = await tester.run("resume");
      assertEquals([refused.code, replies()], [3, asked], refused.stderr);
      tester.tame();
      const resumed = await tester.run("resume", "--raise", `${name}=100000`);
      assertEquals(resumed.code, 0, resumed.stderr);
      const passed = parseEvents(resumed.stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
      const [all] = Object.values(passed?.usageByRole?.tester ?? {});
      assert(all !== undefined && all.inputTokens > used.inputTokens, "what was used before counts");
      await sandbox.assertNothingLeft();
    });
  }
}

for (const provider of ["codex", "claude_code"] as const) {
  Deno.test(`what a real ${provider} uses while panewright is gone counts: a resume with a cap below it ends it`, async () => {
    await using tester = await setUpTester(provider, SPINS);
    const { sandbox, replies } = tester;
    await tester.configure({});
    {
      await using killed = tester.start("run");
      await until(() => Promise.resolve(replies()), (count) => count >= 2);
      killed.kill("SIGKILL");
      await killed.ended;
    }
    const before = replies();
    await until(() => Promise.resolve(replies()), (count) => count >= before + 3);
    await tester.configure({ limits: { max_tokens: before * 1300 + 1000 } });
    const resumed = await tester.run("resume", "--accept-changes");
    assertEquals(resumed.code, 3, resumed.stderr);
    assertStringIncludes(resumed.stderr, "Cannot continue: the cap max_tokens");
    const end = parseEvents(resumed.stdout).find(({ type }) => type === "run_finished") as Finished | undefined;
    const [used] = Object.values(end?.usageByRole?.tester ?? {});
    assert(used !== undefined && used.inputTokens >= before * 1000, resumed.stdout);
    await sandbox.assertNothingLeft();
  });
}

/** A project whose tester is a real agent with a model of ours. */
async function setUpTester(provider: CliName, turn: Turn) {
  let isTame = false;
  const project = await reviewProject({
    provider,
    respond({ prompts }) {
      if (!isTame) return turn;
      // An agent that is told to continue has the prompt in an earlier message.
      const target = prompts.map(responseTargetOf).findLast((one) => one !== undefined);
      return target === undefined ? [] : workTurn(target, { response: "I looked.\n\nRESULT: PASS" }, { thinkMs: 50 });
    },
  });
  return {
    ...project,
    /** From now on the model does what it is told. */
    tame: () => void (isTame = true),
    configure: (more: Readonly<Record<string, unknown>>) =>
      project.configure({
        provider,
        providers: { claude_code: { args: ["--allowedTools", "Bash"] } },
        prompt_file: "job.md",
        start_agent: "tester",
        handoff: { poll_seconds: 0.5 },
        prices: { date: "2026-11-01", models: { [MODELS[provider]]: { input: 1000, output: 0 } } },
        ...more,
      }),
    run: (...args: readonly string[]) => project.run(...args, "--json"),
  };
}

/** What of the end of a run is looked at here. */
interface Finished {
  readonly type: string;
  readonly resumeCommand?: string;
  readonly usage?: Tokens;
  readonly cost?: { readonly total: number };
  readonly usageByRole?: { readonly tester?: Tokens };
}

type Tokens = Readonly<Record<string, { readonly inputTokens: number; readonly outputTokens: number }>>;
