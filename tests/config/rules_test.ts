import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { loadSettings } from "../../lib/config/load.ts";
import { screenSchema } from "../../lib/screen/rules_schema.ts";
import { UsageError } from "../../lib/base/errors.ts";
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

/** The lines of the message, without the first one and the folder. */
async function problems(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  return await inFolder(files, async (cwd) => {
    const { message } = await assertRejects(() => loadSettings({ cwd, env: () => undefined }), UsageError);
    return message.split("\n").slice(1).map((line) => line.trim().replace(Deno.realPathSync(cwd), "DIR"));
  });
}

/** What is wrong with one entry for Codex, which begins in line 3. */
const wrong = (entry: string) => problems({ "panewright.jsonc": `{\n  "rules": { "codex": [\n${entry}\n  ] }\n}\n` });

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

Deno.test("a word that is not known is answered with the nearest", async () => {
  assertEquals(
    await wrong('{ "id": "a", "status": "procesing", "region": "statsu", "pattern": "^x", "row": "haed" }'),
    [
      'panewright.jsonc:3:14: rules.codex[0].status must be one of idle, processing, completed, waiting_user_answer, error, unknown, but is the string "procesing"; did you mean "processing"?',
      'panewright.jsonc:3:37: rules.codex[0].region must be one of screen, composer, footer, status, transcript, last_turn, dialog, tail, but is the string "statsu"; did you mean "status"?',
      'panewright.jsonc:3:74: rules.codex[0].row must be one of any, head, last_head, last_block, last, but is the string "haed"; did you mean "head"?',
    ],
  );
  const [key] = await wrong('{ "id": "a", "status": "idle", "titel": "^x" }');
  assertStringIncludes(
    key ?? "",
    'panewright.jsonc:3:32: unknown key "titel" in rules.codex[0]; did you mean "title"? Allowed',
  );
  const [provider] = await problems({ "panewright.jsonc": '{ "rules": { "codx": [] } }' });
  assertStringIncludes(provider ?? "", 'panewright.jsonc:1:14: unknown key "codx" in rules; did you mean "codex"');
  const [inner] = await wrong('{ "id": "a", "status": "idle", "excludes": [{ "region": "tail", "patern": "^x" }] }');
  assertStringIncludes(
    inner ?? "",
    'panewright.jsonc:3:65: unknown key "patern" in rules.codex[0].excludes[0]; did you mean "p',
  );
});

Deno.test("a pattern that is none, or that could take very long, is refused where it stands", async () => {
  assertEquals(await wrong('{ "id": "a", "status": "idle", "region": "tail", "pattern": "(" }'), [
    "panewright.jsonc:3:50: rules.codex[0].pattern is not a regular expression: Unterminated group",
  ]);
  assertEquals(
    (await wrong('{ "id": "a", "status": "idle", "region": "tail",\n "pattern": ["^fine", "^(a+)+$"] }'))[0]?.slice(
      0,
      103,
    ),
    "panewright.jsonc:4:23: rules.codex[0].pattern[1] could take very long on some texts: begin it with ^, u",
  );
  assertEquals(await wrong('{ "id": "a", "status": "idle", "title": ".*a.*b.*c" }'), [
    "panewright.jsonc:3:32: rules.codex[0].title could take very long on some texts: begin it with ^, use one * or + at most, give other repetitions a bound, as in \\d{1,4}, and repeat no group in which there is a choice",
  ]);
});

Deno.test("an entry that says too little, too much or what does not go together is refused", async () => {
  assertEquals(await wrong('{ "id": "a", "status": "idle" }'), [
    "panewright.jsonc:3:1: rules.codex[0] needs a condition: pattern and region, or one of title, command, cursor_visible, styled, has, dialog, dead",
  ]);
  assertEquals(await wrong('{ "id": "a", "title": "^x" }'), [
    "panewright.jsonc:3:1: rules.codex[0].status is missing: one of idle, processing, completed, waiting_user_answer, error, unknown",
  ]);
  assertEquals(await wrong('{ "status": "idle", "title": "^x" }'), [
    "panewright.jsonc:3:1: rules.codex[0].id is missing",
  ]);
  assertEquals(await wrong('{ "id": "a", "status": "idle", "pattern": "^x" }'), [
    "panewright.jsonc:3:32: rules.codex[0].pattern needs a region beside it: one of screen, composer, footer, status, transcript, last_turn, dialog, tail",
  ]);
  assertEquals(
    await wrong('{ "id": "a", "status": "idle", "title": "^x", "region": "tail", "style": { "dim": true } }'),
    [
      "panewright.jsonc:3:47: rules.codex[0].region has no effect without a pattern",
      "panewright.jsonc:3:65: rules.codex[0].style has no effect without a pattern",
    ],
  );
  assertEquals(await wrong('{ "id": "composer", "remove": true, "status": "idle" }'), [
    "panewright.jsonc:3:37: rules.codex[0].status has no effect in an entry that removes a rule",
  ]);
  assertEquals(await wrong('{ "id": "A b", "status": "idle", "title": "^x" }'), [
    'panewright.jsonc:3:3: rules.codex[0].id must be 1 to 64 lowercase letters, digits or -, but is the string "A b"',
  ]);
  assertEquals(await wrong('{ "id": "a", "status": "idle", "priority": -1, "title": "^x" }'), [
    "panewright.jsonc:3:32: rules.codex[0].priority must be at least 0, but is -1",
  ]);
});

Deno.test("what is to be replaced or removed must be built in, and what is added must not", async () => {
  assertEquals(await wrong('{ "id": "composr", "remove": true }'), [
    'panewright.jsonc:3:3: rules.codex[0].id names no built-in rule of codex: "composr" (did you mean "composer"?)',
  ]);
  assertEquals(await wrong('{ "id": "composer", "status": "idle", "title": "^x" }'), [
    'panewright.jsonc:3:3: rules.codex[0].id is the name of a built-in rule: "composer" needs "replace": true to take its place, or another name',
  ]);
  assertEquals(
    await wrong('{ "id": "a", "status": "idle", "title": "^x" },\n{ "id": "a", "status": "idle", "title": "^x" }'),
    [
      'panewright.jsonc:4:3: rules.codex[1].id is there twice: "a"',
    ],
  );
});

Deno.test("what is wrong with a rules file is told with its own lines", async () => {
  const config = '{ "rules_file": "shared.jsonc" }';
  assertEquals(await problems({ "panewright.jsonc": config }), [
    "panewright.jsonc:1:3: rules_file names DIR/shared.jsonc, but there is no such file",
  ]);
  assertEquals(await problems({ "panewright.jsonc": config, "shared.jsonc": '{\n  "codex": [{ "id": "a" "b" }]\n}' }), [
    'shared.jsonc:2:25: a "," was expected here, between two entries',
  ]);
  const [first, second] = await problems({
    "panewright.jsonc": config,
    "shared.jsonc": '{\n  "codex": [{ "id": "a", "status": "idel", "title": "^x" }],\n  "claud": []\n}',
  });
  assertStringIncludes(first ?? "", "shared.jsonc:2:26: codex[0].status must be one of");
  assertStringIncludes(second ?? "", 'shared.jsonc:3:3: unknown key "claud" in');
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

Deno.test("what is wrong with a layout is told where it stands", async () => {
  const wrongLayout = (layout: string) =>
    problems({ "panewright.jsonc": `{\n  "layouts": { "codex": {\n${layout}\n  } }\n}\n` });
  assertEquals(await wrongLayout('"composer": { "firts": "^x" }'), [
    'panewright.jsonc:3:15: unknown key "firts" in layouts.codex.composer; did you mean "first"? Allowed here: first, style, shell, shell_style, next, placeholder_style, placeholders, frame, bare, below, max_below, starting, paste_marker',
  ]);
  assertEquals(
    (await wrongLayout('"dialog": { "rule": "^(─+)+$", "max_below": -1 }')).map((line) => line.slice(0, 76)),
    [
      "panewright.jsonc:3:13: layouts.codex.dialog.rule could take very long on som",
      "panewright.jsonc:3:32: layouts.codex.dialog.max_below must be at least 0, bu",
    ],
  );
  assertEquals(await wrongLayout('"head": 3'), [
    "panewright.jsonc:3:1: layouts.codex.head must be a string or an array of strings, but is 3",
  ]);
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
