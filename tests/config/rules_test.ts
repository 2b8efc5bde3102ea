import { assertEquals } from "@std/assert";
import { loadSettings } from "../../lib/config/load.ts";
import { screenSchema } from "../../lib/screen/rules_schema.ts";
import { findPaneProvider, PROVIDERS } from "../../lib/agents/mod.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";

async function inFolder<T>(files: Readonly<Record<string, string>>, act: (folder: string) => Promise<T>): Promise<T> {
  const folder = await Deno.makeTempDir();
  try {
    for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/${name}`, text);
    return await act(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function load(files: Readonly<Record<string, string>>) {
  return inFolder(files, async (cwd) => (await loadSettings({ cwd, env: () => undefined })).providers);
}

Deno.test("rules of the config file become changes of the built-in ones, each with its place", async () => {
  const providers = await load({
    "panewright.jsonc": `{
  "rules": {
    "codex": [
      {
        "id": "busy",
        "note": "0.170.0 has a new status row",
        "status": "processing",
        "region": "status",
        "pattern": ["^• Busy:", "^◦ Busy:"],
        "row": "head",
        "style": { "dim": true, "foreground": [1, "#aabbcc", "coloured"] },
        "style_needed": true,
        "title": "^⠋ ",
        "has": ["composer"],
        "also": [{ "cursor_visible": true }, { "styled": true }],
        "excludes": [{ "dialog": ["command"] }, { "command": "^sh$" }],
      },
      { "id": "answered", "remove": true },
      { "id": "composer", "replace": true, "status": "idle", "priority": 90, "has": ["composer"] },
    ],
  },
}`,
  });
  const { rules } = findPaneProvider("codex", providers).terminal.rules;
  assertEquals(rules.slice(0, 2), [
    {
      id: "busy",
      status: "processing",
      priority: 800,
      when: [
        {
          on: "rows",
          region: "status",
          text: /(?:^• Busy:)|(?:^◦ Busy:)/u,
          row: "head",
          style: { dim: true, foreground: [1, "#aabbcc", "coloured"] },
          styleNeeded: true,
        },
        { on: "title", text: /^⠋ /u },
        { on: "layout", has: "composer" },
        { on: "cursor", visible: true },
        { on: "style", present: true },
      ],
      excludes: [{ on: "dialog", kinds: ["command"] }, { on: "command", text: /^sh$/u }],
      origin: "panewright.jsonc:4",
    },
    {
      id: "composer",
      status: "idle",
      priority: 90,
      when: [{ on: "layout", has: "composer" }],
      origin: "panewright.jsonc:19",
    },
  ]);
  const ids = rules.map(({ id }) => id);
  assertEquals(ids.filter((id) => id === "composer" || id === "answered"), ["composer"]);
  assertEquals(providers.filter((provider) => !PROVIDERS.includes(provider)).map(({ id }) => id), ["codex"]);
});

Deno.test("a rules file can be shared; what the config says of the same rule goes before it", async () => {
  const providers = await load({
    "panewright.jsonc": `{
  "rules_file": "shared.jsonc",
  "rules": { "codex": [{ "id": "b", "status": "idle", "title": "^own$" }] }
}`,
    "shared.jsonc": `// for the whole team
{
  "codex": [
    { "id": "a", "status": "error", "title": "^a$" },
    { "id": "b", "status": "idle", "title": "^shared$" },
  ],
  "claude_code": [{ "id": "c", "status": "unknown", "title": "^c$" }],
}`,
  });
  const told = providers.flatMap(({ id: provider, terminal }) =>
    terminal?.rules.rules.flatMap(({ id, priority, origin }) =>
      origin === undefined ? [] : [`${provider} ${id} ${priority} ${origin}`]
    ) ?? []
  );
  assertEquals(told, [
    "codex b 700 panewright.jsonc:3",
    "codex a 690 shared.jsonc:4",
    "claude_code c 50 shared.jsonc:7",
  ]);
});

Deno.test("a layout of the config file changes what it names: another glyph, other lines, and the screen is read", async () => {
  const providers = await load({
    "panewright.jsonc": `{
  "layouts": {
    "claude_code": { "composer": { "first": "^❱\\\\u00a0(?<text>.*)$", "frame": "^═" } }
  }
}`,
  });
  const screen = parseScreen(`\x1b[0m${"═".repeat(60)}\n❱\u00a0\n${"═".repeat(60)}\n  ? for shortcuts`);
  const before = classify(screen, findPaneProvider("claude_code").terminal.rules);
  assertEquals(before.rule, "none");
  const { status, rule } = classify(screen, findPaneProvider("claude_code", providers).terminal.rules);
  assertEquals([status, rule], ["idle", "composer"]);
});

Deno.test("what is built in has the form that people write, and its patterns cost as little", async () => {
  const lib = new URL("../../lib/", import.meta.url);
  const read = async (path: string) => JSON.parse(await Deno.readTextFile(new URL(path, lib)));
  for (const id of ["codex", "claude_code"]) {
    const result = screenSchema().safeParse(await read(`agents/${id}/screen.json`));
    assertEquals(result.error?.issues, undefined, id);
  }
  assertEquals(screenSchema().shape.rules.safeParse(await read("screen/common_rules.json")).error?.issues, undefined);
});
