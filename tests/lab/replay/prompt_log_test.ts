import { assert, assertEquals } from "@std/assert";
import { type LoggedPrompt, logPrompt } from "../../../lib/lab/replay/prompt_log.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("each prompt is a line of the log, whatever it holds", async () => {
  await using folder = await tempDir();
  const path = `${folder.path}/log.ndjson`;
  logPrompt(path, { role: "tester", prompt: "two\nlines" });
  logPrompt(path, { role: "analyst", prompt: '"ü"' });
  const lines: LoggedPrompt[] = (await Deno.readTextFile(path)).trimEnd().split("\n").map((line) => JSON.parse(line));
  assertEquals(lines.map(({ role, prompt, pid }) => [role, prompt, pid]), [
    ["tester", "two\nlines", Deno.pid],
    ["analyst", '"ü"', Deno.pid],
  ]);
  assert(lines.every(({ at }) => !Number.isNaN(Date.parse(at))));
});
