import { assertEquals } from "@std/assert";
import { startDetachedProcess } from "../../../lib/base/ports/detached_process.ts";
import { tempDir } from "../../support/temp_dir.ts";

Deno.test("a program that does not live on after its word has ended when the word is told", async () => {
  await using dir = await tempDir();
  const told = await startDetachedProcess({
    argv: ["sh", "-c", "echo no; sleep 0.3; echo over > over; exit 2"],
    cwd: dir.path,
    livesOn: (line) => line !== "no",
  });
  assertEquals(told, { line: "no", exitCode: undefined });
  assertEquals(await Deno.readTextFile(`${dir.path}/over`), "over\n");
});

Deno.test("whoever wants to wait for the end of a program that lives on can", async () => {
  await using dir = await tempDir();
  let ended = () => Promise.resolve();
  await startDetachedProcess({
    argv: ["sh", "-c", "echo yes; sleep 0.3; echo over > over"],
    cwd: dir.path,
    onStarted: (wait) => ended = wait,
  });
  await ended();
  assertEquals(await Deno.readTextFile(`${dir.path}/over`), "over\n");
});
