import { cut } from "../../base/text/display_width.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type CliIo, type Command, type CommandEntry, defineCommand } from "../console/command.ts";
import { commandIndex } from "../console/parse.ts";
import { type Candidate, existing } from "../completion/existing.ts";
import { joinWords, type TypedLine, wantedAt } from "../completion/wanted.ts";

/**
 * `panewright complete -- WORD…`: what can stand in the place of the last word, for the scripts of
 * `panewright completion`.
 */
export function completeCommand(entries: readonly CommandEntry[]): Command {
  return defineCommand({
    arguments: [{ name: "WORD", description: "what is on the line after panewright", rest: true, text: true }],
    async run({ positionals }, io) {
      const line = await typedLine(joinWords(positionals), entries);
      const { kind, candidates } = await candidatesFor(line, { io, entries });
      const rows = candidates.filter(({ value }) => /^[\w./@-]+$/.test(value))
        .map(({ value, description }) => `${value}\t${cut(sanitizeLine(description), MAX_DESCRIPTION)}\n`);
      io.stdout(`${kind}\n${rows.join("")}`);
      return 0;
    },
  });
}

const MAX_DESCRIPTION = 60;

async function typedLine(words: readonly string[], entries: readonly CommandEntry[]): Promise<TypedLine> {
  const nameAt = commandIndex(words);
  const isName = nameAt === -1 || nameAt === words.length - 1;
  if (isName) return wantedAt(words, { arguments: [{ name: "COMMAND", description: "", completes: ["commands"] }] });
  const entry = entries.find(({ name, hidden }) => name === words[nameAt] && hidden !== true);
  return wantedAt(words.slice(nameAt + 1), entry === undefined ? {} : (await entry.load()).command);
}

interface Completions {
  readonly kind: "words" | "files" | "folders";
  readonly candidates: readonly Candidate[];
}

async function candidatesFor(
  { wanted, values, positionals }: TypedLine,
  around: { readonly io: CliIo; readonly entries: readonly CommandEntry[] },
): Promise<Completions> {
  switch (wanted.type) {
    case "flags":
      return words(wanted.flags.map(({ name, description }) => ({ value: `--${name}`, description })));
    case "choices":
      return words(wanted.choices.map((value) => ({ value, description: "" })));
    case "existing": {
      const [first] = wanted.kinds;
      if (first === "files" || first === "folders") return { kind: first, candidates: [] };
      const options = { ...around, wd: expandHome(values["wd"], around.io), run: positionals[0] };
      return words((await Promise.all(wanted.kinds.map((kind) => existing(kind, options)))).flat());
    }
  }
}

/** A shell hands over what is typed, with the tilde that it would replace. */
function expandHome(path: string | undefined, io: CliIo): string | undefined {
  return path?.replace(/^~(?=\/|$)/, () => io.env("HOME") ?? "~");
}

function words(candidates: readonly Candidate[]): Completions {
  return { kind: "words", candidates };
}
