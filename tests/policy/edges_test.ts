import { assertEquals } from "@std/assert";
import { decidePermission, DEFAULT_PERMISSION_POLICY } from "../../lib/policy/mod.ts";
import { writesFileNames } from "../../lib/policy/name_sources.ts";
import { mayName } from "../../lib/policy/name_patterns.ts";
import { parseShellCommand } from "../../lib/shell/mod.ts";

Deno.test("a pattern of names stands for no hidden name, unless its own dot or find says so", () => {
  for (
    const [pattern, name, plain, ofFind] of [
      ["*env", ".env", false, true],
      ["?env", ".env", false, true],
      [".e*v", ".env", true, true],
      ["e?v", "env", true, true],
      ["e??v", "env", false, false],
    ] as const
  ) assertEquals([mayName(pattern, name), mayName(pattern, name, { dots: true })], [plain, ofFind], pattern);
});

Deno.test("a folder that may be written may not itself be removed, and a blank request is not understood", () => {
  const policy = { ...DEFAULT_PERMISSION_POLICY, writable: ["/srv/data"] };
  const context = { policy, workdir: "/srv/shop", role: "programmer", provider: "codex" } as const;
  for (
    const [subject, expected] of [
      ["rmdir /srv/data/old", "allow default"],
      ["rmdir /srv/data", "deny builtin:write_outside_workdir"],
      ["touch /srv/data", "allow default"],
      ["  ", "ask uncertain"],
    ] as const
  ) {
    const { decision, rule } = decidePermission({ kind: "command", subject }, context);
    assertEquals(`${decision} ${rule}`, expected, subject);
  }
});

Deno.test("what a search writes are names of files only where it writes no text that it has found", () => {
  for (
    const [command, isNames] of [
      ["grep -l x src", true],
      ["grep -ol x src", false],
      ["grep -l --only-matching x src", false],
      ["rg -l x", true],
      ["rg -l -r '--exec=sh' x", false],
      ["rg -l --replace=--exec=sh x", false],
    ] as const
  ) assertEquals(writesFileNames(parseShellCommand(command).commands), isNames, command);
});
