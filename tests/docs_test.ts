import { assert, assertEquals } from "@std/assert";
import { exists, walk } from "@std/fs";
import { dirname, resolve } from "@std/path/posix";
import { AGENTS_DOCUMENT, withAgents } from "../.ci/agents_reference.ts";
import { findEntry } from "../lib/cli/command_table.ts";
import { checkPositionals, GLOBAL_FLAGS, parseFlags } from "../lib/cli/console/parse.ts";
import { parseWorkerRules } from "../lib/fleet/worker_rules.ts";
import { parseJsonc } from "../lib/config/jsonc.ts";
import { configFormFor, parseConfig } from "../lib/config/schema.ts";
import { GROUPS, SETTINGS } from "../lib/config/settings_table.ts";
import { PROVIDER_IDS } from "../lib/agents/mod.ts";
import { isObject } from "../lib/base/schema.ts";
import { findCommands, parseShellCommand } from "../lib/shell/mod.ts";
import { type Markdown, readMarkdown } from "./support/markdown.ts";

const ROOT = new URL("../", import.meta.url).pathname;
const DOCUMENTS: ReadonlyMap<string, Markdown> = new Map(
  await Array.fromAsync(documents(), async (path) => [path, readMarkdown(await Deno.readTextFile(`${ROOT}${path}`))]),
);

async function* documents(): AsyncGenerator<string> {
  yield "fixtures/screens/README.md";
  for (const [folder, maxDepth] of [["", 1], ["docs", 1], ["examples", 3]] as const) {
    for await (const { path } of walk(`${ROOT}${folder}`, { maxDepth, exts: [".md"], includeDirs: false })) {
      // The others of an example are for its agents.
      if (folder !== "examples" || path.endsWith("/README.md")) yield path.slice(ROOT.length);
    }
  }
}

Deno.test("README.md has at most 130 lines", async () => {
  const lines = (await Deno.readTextFile(`${ROOT}README.md`)).trimEnd().split("\n").length;
  assert(lines <= 130, `${lines} lines`);
});

Deno.test("README.md links to every page of docs/", () => {
  const linked = DOCUMENTS.get("README.md")!.links;
  const pages = [...DOCUMENTS.keys()].filter((path) => path.startsWith("docs/"));
  assert(pages.length >= 12, `${pages.length} pages`);
  assertEquals(pages.filter((page) => !linked.includes(page)), []);
});

Deno.test("docs/agents.md has the agents as their packs describe them", async () => {
  const document = await Deno.readTextFile(AGENTS_DOCUMENT);
  assertEquals(document, withAgents(document), "deno task docs makes it anew");
});

Deno.test("deno task docs may do what its scripts do: to import them takes no permission", async () => {
  for (const name of ["agents_reference", "configuration_reference"]) {
    const script = new URL(`../.ci/${name}.ts`, import.meta.url).href;
    const importing = `data:text/typescript,await import(${JSON.stringify(script)})`;
    const args = ["run", "--quiet", "--no-prompt", "--config", `${ROOT}deno.json`, importing];
    const { code, stderr } = await new Deno.Command(Deno.execPath(), { args }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
  }
});

Deno.test("every link of the documents leads to a file, and to a heading where it names one", async () => {
  const broken: string[] = [];
  let count = 0;
  for (const [path, { links, anchors }] of DOCUMENTS) {
    for (const link of links.filter((target) => !/^(https?|mailto):/.test(target))) {
      count++;
      const [file = "", anchor] = link.split("#", 2);
      const target = file === "" ? path : resolve("/", dirname(path), file).slice(1);
      const headings = file === "" ? anchors : DOCUMENTS.get(target)?.anchors;
      if (!await exists(`${ROOT}${target}`)) broken.push(`${path}: ${link}: no such file`);
      else if (anchor !== undefined && headings?.has(anchor) !== true) broken.push(`${path}: ${link}: no such heading`);
    }
  }
  assert(count > 40, `${count} links`);
  assertEquals(broken, []);
});

Deno.test("every command of panewright that the documents show is one, with its flags and arguments", async () => {
  const mistakes: string[] = [];
  let count = 0;
  for (const [path, { blocks, spans }] of DOCUMENTS) {
    const shown = blocks.flatMap(({ language, text, line }) =>
      panewrightCommands(commandLines({ language, text })).map((words) => ({
        words,
        at: `${path}:${line}`,
        inText: false,
      }))
    );
    // In a sentence, a command may stand without its arguments, and what may be left out stands in brackets.
    const named = spans.filter((code) => /^panewright [a-z]/.test(code)).flatMap((code) =>
      panewrightCommands(code.replaceAll(/[[\]]|…|\.\.\./g, "")).map((words) => ({ words, at: path, inText: true }))
    );
    for (const { words, at, inText } of [...shown, ...named]) {
      count++;
      const mistake = await mistakeOf(words, { inText });
      if (mistake !== undefined) mistakes.push(`${at}: panewright ${words.join(" ")}: ${mistake}`);
    }
  }
  assert(count > 120, `${count} commands`);
  assertEquals(mistakes, []);
});

/** What a person types in a block: all of a script, and the lines after a prompt in the picture of a terminal. */
function commandLines({ language, text }: { readonly language: string; readonly text: string }): string {
  if (language === "sh" || language === "bash") return text;
  return [...text.matchAll(/^\$ ((?:.*\\\n)*.*)$/gm)].map(([, line]) => line).join("\n");
}

function panewrightCommands(text: string): string[][] {
  return findCommands(parseShellCommand(text))
    .filter(({ layer }) => layer.program === "panewright")
    .map(({ layer }) => layer.words.slice(1).map(({ value, source }) => value ?? source));
}

async function mistakeOf(
  words: readonly string[],
  { inText }: { readonly inText: boolean },
): Promise<string | undefined> {
  try {
    const [name = "", ...args] = words[0]?.startsWith("-") === true ? ["version"] : words;
    const { entry, isTask } = await findEntry(name, { cwd: ROOT });
    const { command } = await entry.load();
    const { positionals } = parseFlags(isTask ? [name, ...args] : args, [...command.flags, ...GLOBAL_FLAGS]);
    const specs = command.arguments.map((spec) => inText ? { ...spec, required: false } : spec);
    checkPositionals(positionals, specs, { command: name });
    const strange = positionals.find((given, index) => specs[index]?.choices?.includes(given) === false);
    return strange === undefined ? undefined : `it knows no "${strange}"`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

Deno.test("every task that the documents show is in deno.json", async () => {
  const { tasks } = JSON.parse(await Deno.readTextFile(`${ROOT}deno.json`));
  const shown = [...DOCUMENTS].flatMap(([path, { blocks, spans }]) =>
    [...blocks.map(({ text }) => text), ...spans].flatMap((code) =>
      [...code.matchAll(/\bdeno(?:@[\d.]+)? task ([a-z][\w:-]*)/g)].map(([, task]) => ({ path, task: task ?? "" }))
    )
  );
  assert(shown.length > 10, `${shown.length} tasks`);
  assertEquals(shown.filter(({ task }) => !(task in tasks)), []);
});

Deno.test("the configurations that the documents show, whole or in part, are configurations", () => {
  let shown = 0;
  for (const [path, { blocks }] of DOCUMENTS) {
    for (const { text, line } of blocks.filter(({ language }) => language === "jsonc")) {
      // What a worker takes is a file of its own.
      if (path === "docs/fleet.md") {
        parseWorkerRules(text, { path });
        continue;
      }
      const { value, syntaxError } = parseJsonc(text.startsWith("{") ? text : `{${text}}`);
      assertEquals(syntaxError, undefined, `${path}:${line}`);
      const own = isObject(value) && isObject(value["agents"]) ? Object.keys(value["agents"]) : [];
      parseConfig(value, configFormFor([...PROVIDER_IDS, ...own]));
      shown++;
    }
  }
  assert(shown >= 8, `${shown} examples`);
});

Deno.test("every setting that the documents name is in the table", () => {
  const keys = new Set(SETTINGS.map(({ key }) => key));
  const named = [...DOCUMENTS].flatMap(([path, { spans }]) =>
    spans.flatMap((code) => {
      const key = /^([a-z_]+)\.[a-z_]+$/.exec(code);
      return key !== null && Object.hasOwn(GROUPS, key[1] ?? "") ? [{ path, key: code }] : [];
    })
  );
  assert(named.length > 60, `${named.length} settings`);
  assertEquals(named.filter(({ key }) => !keys.has(key)), []);
});

Deno.test("every message that docs/troubleshooting.md explains is one of the code", async () => {
  const page = await Deno.readTextFile(`${ROOT}docs/troubleshooting.md`);
  const explained = page.split("\n## When the surroundings fail")[0] ?? "";
  // One that is broken over two lines is not found by who looks for its words, and matches nothing here.
  const messages = [...explained.matchAll(/\*\*`([^`]+)`\*\*/g)].map(([, message = ""]) => message);
  assert(messages.length > 50, `${messages.length} messages`);
  const sources = await sourceTexts();
  const strange = messages.filter((message) => !sources.some((source) => pattern(message).test(source)));
  assertEquals(strange, []);
});

/** The sources, also those that are data, without comments, with texts that are put together of several literals as one. */
async function sourceTexts(): Promise<string[]> {
  return await Array.fromAsync(
    walk(`${ROOT}lib`, { exts: [".ts", ".json"], includeDirs: false }),
    async ({ path }) => {
      if (path.endsWith(".json") && !path.endsWith("/failures.json")) return "";
      const code = (await Deno.readTextFile(path)).replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "");
      return code.replaceAll(/["`]\s*\+\s*["`]/g, "");
    },
  );
}

/** `…` in a message is something that one place of the code fills in; its words stand there in this order. */
function pattern(message: string): RegExp {
  const parts = message.split("…").map((part) => part.trim()).filter((part) => part !== "");
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  assert(parts.some((part) => part.length >= 8), `"${message}" says too little`);
  return new RegExp(escaped.join("[^\\n]{0,200}?"));
}
