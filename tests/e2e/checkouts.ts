import { assertEquals } from "@std/assert";
import { runProgram } from "../support/program.ts";

/** What a person types in a folder. */
export async function shell(folder: string, script: string): Promise<string> {
  const env = { PATH: Deno.env.get("PATH") ?? "", HOME: "/nowhere" };
  const { code, stdout, stderr } = await runProgram(["sh", "-c", script], { cwd: folder, env, timeoutMs: 20_000 });
  assertEquals(code, 0, stderr);
  return stdout;
}

/** Commits what a project begins with, and changes it once more. */
export const dirty = (folder: string) =>
  shell(
    folder,
    "git add -A && git -c user.name=Me -c user.email=me@example.com commit -qm first && echo mine > mine.txt && " +
      "echo staged > staged.txt && git add staged.txt && echo more >> staged.txt",
  );

/** All that a person has in a checkout but for the objects and our own refs: names, contents, times. */
export const checkoutOf = (folder: string) =>
  shell(
    folder,
    "find . -type f ! -path './.git/objects/*' ! -path './.git/refs/panewright/*' -exec stat -c '%n %Y %a' {} + | sort; " +
      "find . -type f ! -path './.git/objects/*' ! -path './.git/refs/panewright/*' -exec sha256sum {} + | sort",
  );
