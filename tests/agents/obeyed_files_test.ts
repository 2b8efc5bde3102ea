import { assert, assertEquals, assertRejects } from "@std/assert";
import { PROVIDERS } from "../../lib/agents/mod.ts";
import { changedObeyed, digestsOf, surveyObeyed } from "../../lib/agents/obeyed_files.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { protectedPart } from "../../lib/policy/protected_paths.ts";
import { tempDir } from "../support/temp_dir.ts";

const TABLES = PROVIDERS.flatMap(({ obeys }) => typeof obeys === "object" ? [obeys] : []);

const survey = async (workdir: string, id: string) =>
  await surveyObeyed(PROVIDERS.filter((provider) => provider.id === id), { workdir, home: undefined });

Deno.test("every agent says what it obeys, or what other agent obeys the same; only one that is not known does not", () => {
  const ids = PROVIDERS.filter(({ obeys }) => typeof obeys === "object").map(({ id }) => id);
  const unknown = PROVIDERS.filter(({ obeys }) => !(typeof obeys === "object" || ids.includes(obeys ?? "")));
  assertEquals(unknown.map(({ id }) => id), ["acp"]);
});

Deno.test("whatever an agent obeys is protected from agents, in every folder", () => {
  const names = TABLES.flatMap(({ files, settings }) => [...files, ...settings]);
  assertEquals(names.filter((name) => protectedPart(`sub/${name}`) === undefined), []);
  assertEquals(names.filter((name) => protectedPart(name.toUpperCase()) === undefined), []);
});

Deno.test("an agent of which nothing is known is taken to obey all that any agent obeys", async () => {
  await using dir = await tempDir();
  await dir.write(Object.fromEntries(TABLES.flatMap(({ settings }) => settings).map((name) => [name, "{}"])));
  const all = new Set(TABLES.flatMap(({ settings }) => settings));
  assertEquals(new Set(Object.keys(digestsOf(await survey(dir.path, "acp")))), all);
  assertEquals(Object.keys(digestsOf(await survey(dir.path, "claude_acp"))).toSorted(), [
    ".claude/settings.json",
    ".claude/settings.local.json",
    ".lsp.json",
    ".mcp.json",
  ]);
});

Deno.test("folders above count up to the outermost repository: one that an agent makes hides nothing", async () => {
  await using dir = await tempDir();
  await dir.write({ "CLAUDE.md": "Not of it.", "r/.git/HEAD": "", "r/CLAUDE.md": "Obey.", "r/a/b/.git/HEAD": "" });
  assertEquals(Object.keys(digestsOf(await survey(`${dir.path}/r/a/b`, "claude_code"))), ["../../CLAUDE.md"]);
});

Deno.test("what is new, gone or changed is told; an empty file is none", async () => {
  await using dir = await tempDir();
  await dir.write({ "CLAUDE.md": "1", ".mcp.json": "{}", ".claude/settings.json": "" });
  const before = digestsOf(await survey(dir.path, "claude_code"));
  assertEquals(Object.keys(before), ["CLAUDE.md", ".mcp.json"]);
  await dir.write({ "CLAUDE.md": "2", ".claude/agents/a.md": "3" });
  await Deno.remove(`${dir.path}/.mcp.json`);
  const now = digestsOf(await survey(dir.path, "claude_code"));
  assertEquals(changedObeyed(before, now), [".claude/agents/a.md", ".mcp.json", "CLAUDE.md"]);
});

Deno.test("links in circles end, and too many files are refused", async () => {
  await using dir = await tempDir();
  await dir.write({ ".claude/skills/a/SKILL.md": "1" });
  await Deno.symlink("..", `${dir.path}/.claude/skills/a/up`);
  const names = Object.keys(digestsOf(await survey(dir.path, "claude_code")));
  assert(names.includes(".claude/skills/a/SKILL.md"));
  for (let number = 0; number <= 10_000; number++) Deno.writeTextFileSync(`${dir.path}/.claude/skills/${number}`, "x");
  await assertRejects(() => survey(dir.path, "claude_code"), UsageError, "there are more than 10000 such files");
});
