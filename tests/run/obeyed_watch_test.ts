import { assertEquals } from "@std/assert";
import { PROVIDERS } from "../../lib/agents/mod.ts";
import { watchObeyed } from "../../lib/run/obeyed_watch.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("each change of what agents obey is told once, by whomever; what cannot be told is told once, too", async () => {
  await using dir = await tempDir();
  await dir.write({ "CLAUDE.md": "1" });
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const agents = PROVIDERS.filter(({ id }) => id === "claude_code");
  const watch = await watchObeyed({ workdir: dir.path, agents, warn });
  await watch.look("turn 1");
  assertEquals(warnings, []);
  await dir.write({ ".claude/settings.json": "{}", ".claude/agents/a\nb.md": "x", "other.md": "x" });
  await watch.look("turn 2");
  await watch.look("turn 3");
  assertEquals(warnings, ["turn 2 changed what the next start obeys: .claude/agents/a\\nb.md, .claude/settings.json"]);
  warnings.length = 0;
  await Deno.remove(`${dir.path}/CLAUDE.md`);
  await Deno.symlink("/dev/zero", `${dir.path}/CLAUDE.md`);
  await watch.look("turn 4");
  await watch.look("turn 5");
  const untold = `Cannot tell what agents obey in ${dir.path}: CLAUDE.md: it is neither a file nor a folder`;
  assertEquals(warnings, [untold]);
  await Deno.remove(`${dir.path}/CLAUDE.md`);
  await watch.look("turn 6");
  assertEquals(warnings, [untold, "turn 6 changed what the next start obeys: CLAUDE.md"]);
});
