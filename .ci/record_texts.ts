/**
 * Collects what the doc comments of facts say into lib/journal/record_texts.json, for the JSON Schemas and
 * docs/events.md: `deno task schemas`.
 *
 * @module
 */
const ROOT = new URL("../", import.meta.url);

/** The file that is made. */
export const RECORD_TEXTS = new URL("lib/journal/record_texts.json", ROOT);

/** Where the records of each job are declared, by the job. */
const SOURCES = {
  run: [
    "run_facts",
    ...["agent", "turn", "work", "turn_course", "dialog", "outside", "round", "run"].map((name) => `loop/${name}`),
  ],
  exec: [
    "run_facts",
    ...["task", "attempt", "question", "check", "lane", "choice", "run"].map((name) => `exec/${name}`),
  ],
};

/** What a record type tells, under an empty name, and what each of its fields is. */
type RecordText = Readonly<Record<string, string>>;

/** The content of the file. */
export async function recordTexts(): Promise<string> {
  const texts: Record<string, Record<string, RecordText>> = {};
  for (const [job, paths] of Object.entries(SOURCES)) {
    const found = await Promise.all(
      paths.map(async (path) => readTexts(await Deno.readTextFile(new URL(`lib/journal/${path}.ts`, ROOT)))),
    );
    const types = new Set(found.flatMap((each) => Object.keys(each)));
    texts[job] = Object.fromEntries(
      [...types].map((type) => [type, Object.assign({}, ...found.map((each) => each[type] ?? {}))]),
    );
  }
  return `${JSON.stringify(texts, undefined, 2)}\n`;
}

/** The doc comments in the table of facts of a module, which `deno fmt` has indented. */
function readTexts(code: string): Record<string, RecordText> {
  const tables = code.matchAll(/^export const [A-Z_]+ = \{\n([\s\S]*?)^\} as const;$/gm);
  const table = [...tables].map(([, rows]) => rows).join("");
  const texts: Record<string, Record<string, string>> = {};
  let fields: Record<string, string> = {};
  for (
    const [, comment, indent, name] of table.matchAll(/(?:\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n)?^( {2}| {4})(\w+)[:,]/gm)
  ) {
    if (indent === "  ") fields = texts[name!] ??= {};
    if (comment !== undefined) fields[indent === "  " ? "" : name!] = plain(comment);
  }
  return texts;
}

function plain(comment: string): string {
  return comment.replaceAll(/\n *\* ?/g, " ").replaceAll(/\{@linkcode (\w+)\}/g, "`$1`").trim();
}

if (import.meta.main) await Deno.writeTextFile(RECORD_TEXTS, await recordTexts());
