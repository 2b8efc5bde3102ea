import { assertEquals, assertStringIncludes } from "@std/assert";
import { codexSetup } from "../../../lib/agents/codex/setup.ts";

const FILES: Readonly<Record<string, "file" | "folder">> = {
  "/repo/.git": "folder",
  "/repo/.git/HEAD": "file",
  "/linked/.git": "file",
  "/broken/.git": "folder",
};

const trustOf = async (workdir: string, args: readonly string[] = []) =>
  await codexSetup.findTrust({
    env: () => undefined,
    args,
    workdir,
    asksPerson: false,
    version: "0.169.0",
    readText: () => undefined,
    kindOf: (path) => FILES[path],
  });

Deno.test("without a terminal Codex works in repositories and linked work trees, below them, and where an argument says so", async () => {
  for (const workdir of ["/repo", "/repo/deep/down", "/linked"]) assertEquals((await trustOf(workdir)).state, "ready");
  for (const arg of ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]) {
    assertEquals((await trustOf("/plain", [arg])).state, "ready");
  }
});

Deno.test("without a terminal Codex works in no other folder, and what helps is said", async () => {
  for (const workdir of ["/plain", "/broken"]) {
    const { state, detail, remedy } = await trustOf(workdir);
    assertEquals(state, "missing");
    assertStringIncludes(detail, "git repositories only");
    assertStringIncludes(remedy ?? "", "--skip-git-repo-check");
  }
});
