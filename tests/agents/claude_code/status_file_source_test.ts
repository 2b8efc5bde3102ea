import { assert, assertEquals } from "@std/assert";
import { findProcess } from "../../../lib/base/ports/process_table.ts";
import { openClaudeStatusFile } from "../../../lib/agents/claude_code/status_file_source.ts";
import type { StatusSource } from "../../../lib/agents/pane/status_source.ts";
import { type StillClock, stillClock } from "../../support/still_clock.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../tmux/support.ts";
import { recordedTranscript } from "./support.ts";

interface Setting {
  readonly temp: TempDir;
  readonly source: StatusSource;
  readonly clock: StillClock;
  /** The agent's process, which a launcher has started in the pane. */
  readonly pid: number;
  /** Writes the status file of a process, as that process would. */
  write(status: string, more?: Readonly<Record<string, unknown>>): Promise<void>;
  kill(): Promise<void>;
}

/** Plays with a source for a pane in which a launcher (`timeout`) has started an agent (`sleep`). */
async function play(run: (setting: Setting) => Promise<void>, env: (home: string) => Record<string, string>) {
  await using temp = await tempDir();
  const launcher = new Deno.Command("timeout", { args: ["60", "sleep", "60"] }).spawn();
  const folder = env(temp.path)["CLAUDE_CONFIG_DIR"] ?? `${temp.path}/.claude`;
  const clock = stillClock(1_000_000);
  const source = openClaudeStatusFile({
    pane: { paneId: "%1", pid: launcher.pid },
    workdir: "/work",
    env: env(temp.path),
    startedAt: Date.now(),
    clock,
  });
  try {
    const pid = await childOf(launcher.pid);
    const procStart = (await findProcess(pid))?.startTime;
    await run({
      temp,
      source,
      clock,
      pid,
      async write(status, more = {}) {
        const file = `${folder}/sessions/${more["pid"] ?? pid}.json`.slice(temp.path.length + 1);
        const facts = { pid, procStart, sessionId: "s1", cwd: "/abs/my proj_1.2", status, statusUpdatedAt: Date.now() };
        await temp.write({ [file]: JSON.stringify({ ...facts, ...more }) });
      },
      async kill() {
        Deno.kill(pid, "SIGKILL");
        await launcher.status;
      },
    });
  } finally {
    source[Symbol.dispose]();
    await Promise.resolve().then(() => launcher.kill("SIGTERM")).catch(() => {});
    await launcher.status;
  }
}

async function childOf(parent: number): Promise<number> {
  const list = async () => {
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${parent}/task/${parent}/children`] }).output();
    return Number(new TextDecoder().decode(stdout).trim());
  };
  return await until(list, (pid) => pid > 0);
}

const inHome = (home: string) => ({ HOME: home });
const inConfigDir = (home: string) => ({ HOME: "/nowhere", CLAUDE_CONFIG_DIR: `${home}/config` });

async function stateOf({ source }: Setting): Promise<string> {
  return (await source.read())?.state ?? "nothing";
}

for (const [where, env] of [["the home", inHome], ["CLAUDE_CONFIG_DIR", inConfigDir]] as const) {
  Deno.test(`a status file below ${where} is found by the pane's processes, and read at each poll`, () =>
    play(async (setting) => {
      setting.source.expectPrompt("Do it");
      assertEquals(await stateOf(setting), "nothing");
      await setting.write("busy");
      setting.clock.advance(1000);
      assertEquals(await stateOf(setting), "working");
      for (const [status, state] of [["waiting", "waiting"], ["busy", "working"], ["idle", "at_rest"]] as const) {
        await setting.write(status);
        assertEquals(await stateOf(setting), state);
      }
    }, env));
}

Deno.test("the file is read before any prompt: it is there as soon as the agent is ready", () =>
  play(async (setting) => {
    await setting.write("idle");
    assertEquals(await stateOf(setting), "at_rest");
  }, inHome));

Deno.test("a file that is half written says what it said before, and one that is gone says nothing", () =>
  play(async (setting) => {
    await setting.write("busy");
    setting.source.expectPrompt("Do it");
    assertEquals(await stateOf(setting), "working");
    const path = `${setting.temp.path}/.claude/sessions/${setting.pid}.json`;
    await Deno.writeTextFile(path, '{"pid":');
    assertEquals(await stateOf(setting), "working");
    await Deno.remove(path);
    assertEquals(await stateOf(setting), "nothing");
  }, inHome));

Deno.test("the file of another process says nothing, also when it had the same id", () =>
  play(async (setting) => {
    await setting.write("busy", { pid: 1 });
    await setting.write("busy", { procStart: "1" });
    setting.source.expectPrompt("Do it");
    for (let poll = 0; poll < 5; poll++) {
      assertEquals(await stateOf(setting), "nothing");
      setting.clock.advance(1000);
    }
  }, inHome));

Deno.test("the file of a process that was killed says nothing any more", () =>
  play(async (setting) => {
    await setting.write("busy");
    setting.source.expectPrompt("Do it");
    assertEquals(await stateOf(setting), "working");
    await setting.kill();
    assertEquals(await stateOf(setting), "working");
    setting.source.doubt();
    assertEquals(await stateOf(setting), "nothing");
  }, inHome));

Deno.test("since when a state holds is what the file says, and a state that comes again is a new one", () =>
  play(async (setting) => {
    await setting.write("idle", { statusUpdatedAt: Date.now() - 60_000 });
    setting.source.expectPrompt("Do it");
    const old = await setting.source.read();
    assert(old !== undefined && setting.clock.now() - old.sinceMs >= 60_000);
    setting.clock.advance(5000);
    await setting.write("idle");
    const now = await setting.source.read();
    assert(now !== undefined && setting.clock.now() - now.sinceMs < 1000);
  }, inHome));

Deno.test("the last answer is taken from the session's transcript, once the turn of the last prompt is in it", () =>
  play(async (setting) => {
    const folder = ".claude/projects/-abs-my-proj-1-2";
    const lines = recordedTranscript();
    await setting.temp.write({ [`${folder}/s1.jsonl`]: lines.join("\n") });
    await setting.write("idle");
    assertEquals(await setting.source.lastAnswer(), undefined);
    setting.source.expectPrompt("Do it");
    await setting.source.read();
    // What is there was said before this prompt.
    assertEquals(await setting.source.lastAnswer(), undefined);
    const now = new Date(Date.now() + 1).toISOString();
    const turn = lines.slice(lines.findIndex((line) => line.includes('"content":"last one"')))
      .map((line) => line.replace(/"timestamp":"[^"]*"/, `"timestamp":"${now}"`));
    await setting.temp.write({ [`${folder}/s1.jsonl`]: [...lines, ...turn].join("\n") });
    assertEquals(await setting.source.lastAnswer(), "The last short answer.");
    // A folder for a long path has another name; the file's name is the same.
    await Deno.rename(`${setting.temp.path}/${folder}`, `${setting.temp.path}/.claude/projects/-abs-x1y2`);
    assertEquals(await setting.source.lastAnswer(), "The last short answer.");
  }, inHome));

Deno.test("a failure ends the turn of the last prompt where the transcript has it behind that prompt", () =>
  play(async ({ temp, source, write, clock }) => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const prompt = (ms: number) => ({ type: "user", message: { content: "Do it" }, timestamp: at(ms) });
    const text = [{ type: "text", text: "API Error: 500" }];
    const refusal = (ms: number) => ({
      type: "assistant",
      isApiErrorMessage: true,
      error: "server_error",
      message: { id: "m", content: text },
      timestamp: at(ms),
    });
    const transcript = (...records: readonly unknown[]) =>
      temp.write({
        ".claude/projects/-abs-my-proj-1-2/s1.jsonl": records.map((record) => `${JSON.stringify(record)}\n`).join(""),
      });
    await write("idle", { statusUpdatedAt: Date.now() - 60_000 });
    const earlier = [prompt(-9000), refusal(-8000)];
    await transcript(...earlier);
    source.expectPrompt("Do it");
    await source.read();
    assertEquals(await source.lastFailure?.(), undefined);
    await transcript(...earlier, prompt(1));
    assertEquals(await source.lastFailure?.(), undefined);
    await transcript(...earlier, prompt(1), refusal(2));
    const failure = await source.lastFailure?.();
    assertEquals([failure?.code, failure?.endsTurn], ["server_error", true]);
    // Its file has rested for a minute: it never said `busy`.
    const report = await source.read();
    assertEquals([report?.state, report?.state === "at_rest" && report.outcome], ["at_rest", "error"]);
    assert(report !== undefined && clock.now() - report.sinceMs < 1000);
    // Without a prompt that it follows nobody knows whose it is.
    await transcript(refusal(2));
    assertEquals((await source.lastFailure?.())?.endsTurn, false);
  }, inHome));

Deno.test("the failure of a session's first turn is found where its transcript comes after the end of that turn", () =>
  play(async ({ temp, source, write, clock }) => {
    await write("idle");
    source.expectPrompt("Do it");
    await source.read();
    const timestamp = new Date(Date.now() + 1).toISOString();
    const records = [
      { type: "user", message: { content: "Do it" }, timestamp },
      {
        ...{ type: "assistant", isApiErrorMessage: true, error: "billing_error", timestamp },
        message: { id: "m", content: [{ type: "text", text: "Credit balance is too low" }] },
      },
    ];
    clock.meanwhile = () =>
      temp.write({
        ".claude/projects/-abs-my-proj-1-2/s1.jsonl": records.map((record) => `${JSON.stringify(record)}\n`).join(""),
      });
    assertEquals((await source.lastFailure?.())?.code, "billing_error");
  }, inHome));

Deno.test("usage: of the session and its sub-agents by model, each reply once, also of an agent that is gone", () =>
  play(async (setting) => {
    const { source, temp } = setting;
    const reply = (id: string, model: string, output_tokens: number) => {
      const usage = { input_tokens: 1, cache_read_input_tokens: 2, cache_creation_input_tokens: 3, output_tokens };
      return `${JSON.stringify({ type: "assistant", message: { id, model, content: [], usage } })}\n`;
    };
    const folder = ".claude/projects/-abs-my-proj-1-2";
    await setting.write("busy");
    source.expectPrompt("Do it");
    assertEquals(await source.usage?.(), undefined);
    await source.read();
    assertEquals(await source.usage?.(), undefined);
    await temp.write({
      // Each block of a reply is a line of its own; of the output the first may know only a beginning.
      [`${folder}/s1.jsonl`]: reply("m1", "opus", 1) + reply("m1", "opus", 9) + reply("m2", "opus", 5) +
        reply("m3", "<synthetic>", 0),
      [`${folder}/s1/subagents/agent-1.jsonl`]: reply("m4", "haiku", 2),
      [`${folder}/s1/subagents/workflows/w1/agent-2.jsonl`]: reply("m5", "haiku", 3),
      [`${folder}/s2.jsonl`]: reply("m6", "opus", 1000),
    });
    const of = (replies: number, outputTokens: number) => ({
      inputTokens: 6 * replies,
      cachedInputTokens: 2 * replies,
      cacheWriteInputTokens: 3 * replies,
      outputTokens,
    });
    assertEquals(await source.usage?.(), { sessionId: "s1", usage: { opus: of(2, 14), haiku: of(2, 5) } });
    await setting.kill();
    setting.clock.advance(20_000);
    await source.read();
    await Deno.writeTextFile(`${temp.path}/${folder}/s1.jsonl`, reply("m7", "opus", 1), { append: true });
    assertEquals((await source.usage?.())?.usage["opus"], of(3, 15));
  }, inHome));

Deno.test("what the agent has run is told once, from its transcript; that of sub-agents is not its own", () =>
  play(async (setting) => {
    const { source, clock, temp } = setting;
    const path = `${temp.path}/.claude/projects/-abs-my-proj-1-2/s1.jsonl`;
    const line = (record: Readonly<Record<string, unknown>>) => `${JSON.stringify(record)}\n`;
    const call = (id: string, command: string, more = {}) =>
      line({
        type: "assistant",
        message: { id, model: "m", content: [{ type: "tool_use", id, name: "Bash", input: { command } }] },
        ...more,
      }) +
      line({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: id, content: "no" }] }, ...more });
    const add = async (text: string) => {
      await Deno.writeTextFile(path, text, { append: true });
      return await source.takeWork?.();
    };
    const prompt = line({ type: "user", message: { content: "Do it" } });
    await setting.write("busy");
    source.expectPrompt("Do it");
    assertEquals(await source.takeWork?.(), []);
    await temp.write({ ".claude/projects/-abs-my-proj-1-2/s1.jsonl": prompt + call("t0", "ls") });
    clock.advance(1000);
    await source.read();
    assertEquals(await add(prompt + call("t1", "make") + call("t2", "pwd", { isSidechain: true })), [
      { type: "ran", id: "t1", command: "make" },
      { type: "saw", id: "t1", command: "make", output: "no" },
    ]);
    assertEquals(await add(call("t3", "make").slice(0, -1)), [{ type: "ran", id: "t3", command: "make" }]);
    assertEquals((await add("\n"))?.map(({ type }) => type), ["saw"]);
  }, inHome));
