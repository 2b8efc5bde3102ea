import { assertEquals } from "@std/assert";
import { filesHere } from "../../../lib/api/evidence/files_here.ts";
import type { Statement } from "../../../lib/api/evidence/statement.ts";
import { runProgram } from "../../support/program.ts";
import { tempDir } from "../../support/temp_dir.ts";

const { signal } = new AbortController();

Deno.test("a commit that git is told to show another one in place of has not its files", async () => {
  await using dir = await tempDir();
  const git = async (...args: readonly string[]) => {
    const env = { HOME: "/nowhere", PATH: Deno.env.get("PATH") ?? "" };
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.com"];
    const { code, stdout } = await runProgram(["git", ...who, ...args], { cwd: dir.path, env, timeoutMs: 20_000 });
    assertEquals(code, 0);
    return stdout.trim();
  };
  await git("init", "-q");
  const commits: string[] = [];
  for (const text of ["judged\n", "other\n"]) {
    await dir.write({ "a.txt": text });
    await git("add", ".");
    await git("commit", "-q", "-m", "x");
    commits.push(await git("rev-parse", "HEAD"));
  }
  const [gitTree, gitCommit] = [await git("rev-parse", `${commits[0]}^{tree}`), commits[1] ?? ""];
  const statement = { subject: [{ digest: { gitCommit, gitTree } }] } as unknown as Statement;
  const look = async () => (await filesHere(statement, { cwd: dir.path, signal })).holds;
  assertEquals(await look(), false);
  await git("replace", gitCommit, commits[0] ?? "");
  assertEquals(await git("rev-parse", "HEAD^{tree}"), gitTree);
  assertEquals(await look(), false);
});
