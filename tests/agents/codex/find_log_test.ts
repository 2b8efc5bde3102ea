import { assertEquals } from "@std/assert";
import { findLogByEvidence } from "../../../lib/agents/codex/find_log.ts";
import { tempDir } from "../../support/temp_dir.ts";

const META = (cwd: string) => ({
  timestamp: "2026-11-20T08:32:37.000Z",
  type: "session_meta",
  payload: { id: "t", timestamp: "2026-11-20T08:32:37.000Z", cwd, source: "exec", originator: "codex_exec" },
});

const PROMPT = (text: string) => ({
  timestamp: "2026-11-20T08:32:38.000Z",
  type: "response_item",
  payload: { type: "message", role: "user", content: [{ type: "input_text", text }] },
});

const REPLY = {
  timestamp: "2026-11-20T08:32:39.000Z",
  type: "response_item",
  payload: { type: "function_call", name: "exec_command", call_id: "c", arguments: "{}" },
};

/** A folder of session logs that two attempts in one working directory write to. */
async function stage() {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await tempDir()).path;
  const resources = stack.move();
  const write = (name: string, ...records: readonly object[]) =>
    Deno.writeTextFile(`${folder}/rollout-${name}.jsonl`, records.map((one) => `${JSON.stringify(one)}\n`).join(""));
  const find = (prompt: string, before: readonly string[] = [], pids: readonly number[] = []) =>
    findLogByEvidence(folder, {
      query: {
        workdir: folder,
        env: {},
        prompt,
        startedAt: Date.parse("2026-11-20T08:32:36.000Z"),
        sessionId: () => undefined,
        listPids: () => Promise.resolve(pids),
        writerEnded: new AbortController().signal,
      },
      before: new Set(before.map((name) => `${folder}/rollout-${name}.jsonl`)),
    });
  return { folder, write, find, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

Deno.test("a log that has no prompt yet is nobody's: it may be that of another attempt in the folder", async () => {
  await using logs = await stage();
  const { folder, write, find } = logs;
  await write("second", META(folder));
  assertEquals(await find("Do the first."), undefined);
  await write("second", META(folder), PROMPT("Do the second."));
  assertEquals(await find("Do the first."), undefined);
  assertEquals(await find("Do the second."), `${folder}/rollout-second.jsonl`);
  await write("first", META(folder), PROMPT("Do the first."));
  assertEquals(await find("Do the first."), `${folder}/rollout-first.jsonl`);
});

Deno.test("a log that was there before, and one of two with the same prompt, are not taken", async () => {
  await using logs = await stage();
  const { folder, write, find } = logs;
  await write("one", META(folder), PROMPT("Do it."));
  assertEquals(await find("Do it.", ["one"]), undefined);
  await write("two", META(folder), PROMPT("Do it."));
  assertEquals(await find("Do it."), undefined);
});

Deno.test("a log that has a reply and no prompt is one of a CLI that keeps no prompts", async () => {
  await using logs = await stage();
  const { folder, write, find } = logs;
  await write("one", META(folder), REPLY);
  assertEquals(await find("Do it."), `${folder}/rollout-one.jsonl`);
});

Deno.test("a log that is open and whose first record is not there yet is not taken: it may be a helper's", async () => {
  await using logs = await stage();
  const { folder, write, find } = logs;
  await write("one");
  using _open = await Deno.open(`${folder}/rollout-one.jsonl`);
  assertEquals(await find("Do it.", [], [Deno.pid]), undefined);
  await write("one", META(folder));
  assertEquals(await find("Do it.", [], [Deno.pid]), `${folder}/rollout-one.jsonl`);
});

Deno.test("a log that names no folder is taken with a reply or with our prompt, and where no other fits", async () => {
  await using logs = await stage();
  const { folder, write, find } = logs;
  await write("one", PROMPT("Do something else."), REPLY);
  assertEquals(await find("Do it."), undefined);
  await write("one", PROMPT("Do it."));
  assertEquals(await find("Do it."), `${folder}/rollout-one.jsonl`);
  await write("two", REPLY);
  assertEquals(await find("Do it."), undefined);
  await write("three", META(folder), PROMPT("Do it."));
  assertEquals(await find("Do it."), `${folder}/rollout-three.jsonl`);
});
