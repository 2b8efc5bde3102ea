import { assertEquals } from "@std/assert";
import type { CommandResult, ProcessRunner } from "../../../lib/base/ports/process.ts";
import { findSessionLog, type SessionLogQuery } from "../../../lib/agents/codex/find_log.ts";
import { until } from "../../tmux/support.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";

const DONE: CommandResult = { code: 0, stdout: "", stderr: "", timedOut: false, truncated: false };

/** A machine on which nobody can see what files processes have open. */
const BLIND: ProcessRunner = { run: () => Promise.resolve(DONE) };

const NOW = Date.now();

interface LogParts {
  readonly name: string;
  readonly cwd?: string;
  readonly prompt?: string;
  readonly source?: unknown;
  readonly startedAt?: number;
}

async function writeLog(temp: TempDir, parts: LogParts): Promise<string> {
  const { name, cwd = "/work", prompt = "Fix the bug", source = "cli", startedAt = NOW } = parts;
  const timestamp = new Date(startedAt).toISOString();
  const day = timestamp.slice(0, 10).replaceAll("-", "/");
  const file = `sessions/${day}/rollout-${name}.jsonl`;
  const content = [{ type: "input_text", text: prompt }];
  await temp.write({
    [file]: [
      { type: "session_meta", payload: { id: name, cwd, timestamp, source } },
      { type: "response_item", payload: { type: "message", role: "user", content } },
    ].map((record) => `${JSON.stringify(record)}\n`).join(""),
  });
  return `${temp.path}/${file}`;
}

function query(temp: TempDir, more: Partial<SessionLogQuery> = {}): SessionLogQuery {
  return {
    panePid: 1,
    workdir: "/work",
    codexHome: temp.path,
    startedAt: NOW,
    prompts: ["Fix the bug"],
    processRunner: BLIND,
    ...more,
  };
}

Deno.test("without a look at open files, the log in our folder with our prompt is taken", async () => {
  await using temp = await tempDir();
  assertEquals(await findSessionLog(query(temp)), undefined);
  const path = await writeLog(temp, { name: "ours" });
  await writeLog(temp, { name: "another-prompt", prompt: "Write a poem" });
  await writeLog(temp, { name: "another-folder", cwd: "/elsewhere" });
  await writeLog(temp, { name: "helper", source: { subagent: "review" } });
  await writeLog(temp, { name: "older", startedAt: NOW - 60_000 });
  assertEquals(await findSessionLog(query(temp)), path);
  assertEquals(await findSessionLog(query(temp, { prompts: ["Fix the\n  bug"] })), path);
  assertEquals(await findSessionLog(query(temp, { prompts: [] })), undefined);
});

Deno.test("where two logs fit, none is taken: it could be another pane's", async () => {
  await using temp = await tempDir();
  await writeLog(temp, { name: "one" });
  await writeLog(temp, { name: "two" });
  assertEquals(await findSessionLog(query(temp)), undefined);
});

Deno.test("the log that a process of the pane has open is taken, whoever has the same prompt", async () => {
  await using temp = await tempDir();
  const paths = [await writeLog(temp, { name: "one" }), await writeLog(temp, { name: "two" })];
  // `timeout` starts another program, as a launcher does, and passes SIGTERM on; only that one has the file open.
  const children = paths.map((path) =>
    new Deno.Command("timeout", { args: ["60", "sh", "-c", 'exec 3>>"$0"; exec sleep 60', path] }).spawn()
  );
  try {
    for (const [index, child] of children.entries()) {
      const { processRunner: _blind, ...seeing } = query(temp, { panePid: child.pid, prompts: [] });
      await until(() => findSessionLog(seeing), (found) => found === paths[index]);
    }
  } finally {
    for (const child of children) {
      child.kill("SIGTERM");
      await child.status;
    }
  }
});
