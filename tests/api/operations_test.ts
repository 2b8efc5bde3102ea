import { assertEquals } from "@std/assert";
import type { ToolName } from "../../lib/api/operations/mod.ts";
import { PanewrightError } from "../../lib/base/errors.ts";
import { callCli } from "../support/call_cli.ts";
import { agentReady, dialogWaiting, reviewFinished, RUN_ID, writeReview } from "../support/run_folders.ts";
import { holdRun, readAnswerOf } from "../support/run_mail.ts";
import { tempDir } from "../support/temp_dir.ts";
import { testServer } from "./http/support.ts";
import { toolsOf } from "./support.ts";

/** One operation, as it is asked for on each way that has it. */
interface Asked {
  readonly cli?: readonly string[] | undefined;
  readonly http?: readonly [path: string, body?: object] | undefined;
  readonly mcp?: readonly [tool: ToolName, input?: object] | undefined;
}

/** What each way answers: the code of a refusal, or the object. */
type Told = Readonly<Record<string, unknown>>;

/** The three ways to the runs of a folder, each in this process. */
function waysTo(path: string) {
  const server = testServer(path);
  const callTool = toolsOf(path);
  const ways = {
    async cli(words: readonly string[]): Promise<Told> {
      const { stdout } = await callCli(["--json", ...words], { cwd: path });
      return JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "{}");
    },
    async http([where, body]: NonNullable<Asked["http"]>): Promise<Told> {
      const init = body === undefined ? {} : {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(body),
      };
      return await (await server.ask(where, init)).json();
    },
    async mcp([tool, input = {}]: NonNullable<Asked["mcp"]>): Promise<Told> {
      try {
        return await callTool(tool, input);
      } catch (error) {
        if (error instanceof PanewrightError) return { code: error.code };
        throw error;
      }
    },
  };
  return {
    /** The same field of all answers, by the way. */
    async ask({ cli, http, mcp }: Asked, field: string): Promise<Told> {
      return {
        ...(cli === undefined ? {} : { cli: (await ways.cli(cli))[field] }),
        ...(http === undefined ? {} : { http: (await ways.http(http))[field] }),
        ...(mcp === undefined ? {} : { mcp: (await ways.mcp(mcp))[field] }),
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** All ways that were asked say the same. */
function assertAll(told: Told, expected: unknown, about: string): void {
  assertEquals(told, Object.fromEntries(Object.keys(told).map((way) => [way, expected])), about);
}

const OTHER = "20261120-072605-0000";

const answer = (run: string, question: string, words: string): Asked => ({
  cli: ["answer", run, "--question", question, words],
  http: [`/v1/runs/${run}/answer`, { question, answer: words }],
  mcp: ["answer", { run, question, answer: words }],
});

const stop = (run: string): Asked => ({
  cli: ["stop", run],
  http: [`/v1/runs/${run}/stop`, {}],
  mcp: ["stop", { run }],
});

const REFUSED: Readonly<Record<string, readonly [Asked, string]>> = {
  "an answer to an unknown run": [answer(OTHER, "q1", "yes"), "unknown_run"],
  "a stop of an unknown run": [stop(OTHER), "unknown_run"],
  "the state of an unknown run": [
    { cli: ["status", OTHER], http: [`/v1/runs/${OTHER}`], mcp: ["result", { run: OTHER }] },
    "unknown_run",
  ],
  "a run that is continued, and is unknown": [
    { cli: ["resume", OTHER], http: [`/v1/runs/${OTHER}/resume`, {}], mcp: ["resume", { run: OTHER }] },
    "unknown_run",
  ],
  "a path in place of an id": [
    { http: ["/v1/runs/..%2f..%2fetc/stop", {}], mcp: ["stop", { run: "../../etc" }] },
    "unknown_run",
  ],
  // A beginning, or an age, may be another run tomorrow: a command takes it, a program names the whole id.
  "a part of an id": [{ http: ["/v1/runs/@1/stop", {}], mcp: ["stop", { run: "@1" }] }, "unknown_run"],
  "an answer to what does not wait": [answer(RUN_ID, "q2", "yes"), "not_open"],
  "an answer to what is no question": [answer(RUN_ID, "../x", "yes"), "not_open"],
  "an answer that is none": [answer(RUN_ID, "q1", "perhaps"), "bad_input"],
  "an empty answer": [{ ...answer(RUN_ID, "q1", " \n "), cli: undefined }, "bad_input"],
  "an answer to what was not seen": [
    { http: [`/v1/runs/${RUN_ID}/answer`, { question: "q1", answer: "yes", fingerprint: "another" }] },
    "not_open",
  ],
  "a start in a folder that is not served": [
    { http: ["/v1/runs", { kind: "run", workdir: "/" }], mcp: ["start_run", { workdir: "/" }] },
    "bad_input",
  ],
  "a start without a task": [{ http: ["/v1/runs", { kind: "exec" }], mcp: ["exec_task"] }, "bad_input"],
  "a start with two tasks": [{ mcp: ["exec_task", { task: "Do.", taskFile: "task.md" }] }, "bad_input"],
  "a start with a task that is not there": [
    { http: ["/v1/runs", { kind: "exec", task: { path: "gone.md" } }], mcp: ["exec_task", { taskFile: "gone.md" }] },
    "bad_input",
  ],
  "a start with a flag that nobody may give from there": [
    { http: ["/v1/runs", { kind: "run", overrides: { "test-cmd": "touch owned" } }] },
    "bad_input",
  ],
  "a message to what is no message's": [
    { mcp: ["wait", { run: RUN_ID, message: "m-1", timeoutSeconds: 0 }] },
    "bad_input",
  ],
};

Deno.test("what is refused has the same code at the command line, over HTTP and over MCP, and does nothing", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  const folder = await writeReview({ path }, [...agentReady(), dialogWaiting(RUN_ID, "q1")]);
  using _held = await holdRun(folder);
  await using ways = waysTo(path);
  for (const [about, [asked, code]] of Object.entries(REFUSED)) {
    // A model is refused what is a person's before it is looked at what it says.
    const mcp = asked.mcp?.[0] === "answer" && code === "bad_input" ? "reserved_for_person" : code;
    const { mcp: byModel, ...others } = await ways.ask(asked, "code");
    assertAll(others, code, about);
    if (asked.mcp !== undefined) assertEquals(byModel, mcp, about);
  }
  assertEquals(await readAnswerOf(folder, "q1"), undefined);
  const seen: Asked = { http: [`/v1/runs/${RUN_ID}/answer`, { answer: "yes", fingerprint: "f" }] };
  assertAll(await ways.ask(seen, "goesOn"), true, "an answer to what was seen");
  assertEquals([...Deno.readDirSync(`${path}/.panewright/runs`)].map(({ name }) => name), [RUN_ID]);
});

Deno.test("an answer counts once, whichever way it comes, and all ways are told so", async () => {
  for (const [first, isModel] of [["cli", false], ["http", false], ["mcp", true]] as const) {
    await using dir = await tempDir();
    const path = await Deno.realPath(dir.path);
    const folder = await writeReview({ path }, [...agentReady(), dialogWaiting(RUN_ID, "q1")]);
    using _held = await holdRun(folder);
    await using ways = waysTo(path);
    const asked = answer(RUN_ID, "q1", "yes");
    const told = await ways.ask({ [first]: asked[first] }, isModel ? "code" : "goesOn");
    if (isModel) {
      assertEquals(told, { mcp: "reserved_for_person" });
      continue;
    }
    assertEquals(told, { [first]: true });
    assertEquals((await readAnswerOf(folder, "q1"))?.by, first === "cli" ? "command" : "http");
    assertAll(await ways.ask(asked, "code"), "answered_before", first);
  }
});

Deno.test("a run that is over is told so, and left as it is by a stop, on all ways", async () => {
  await using dir = await tempDir();
  const path = await Deno.realPath(dir.path);
  await writeReview({ path }, [reviewFinished("pass")]);
  await using ways = waysTo(path);
  const state: Asked = { cli: ["status", RUN_ID], http: [`/v1/runs/${RUN_ID}`], mcp: ["result", { run: RUN_ID }] };
  assertAll(await ways.ask(state, "state"), "passed", "its state");
  assertAll(await ways.ask(stop(RUN_ID), "state"), "passed", "its state after a stop");
  assertAll(await ways.ask(stop(RUN_ID), "agentsAlive"), false, "its agents");
  assertAll(await ways.ask({ cli: ["runs"], mcp: ["result", { run: RUN_ID }] }, "run"), RUN_ID, "its id");
  assertAll(await ways.ask(answer(RUN_ID, "q1", "yes"), "code"), "not_open", "an answer to it");
});
