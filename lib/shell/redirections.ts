import { fail, looksAt, matchAt, peek, type Reader, skipBlanks } from "./reader.ts";
import { REDIRECTIONS, type ShellRedirection } from "./syntax.ts";
import { wordText } from "./word_text.ts";
import { readWord, type WordOptions } from "./words.ts";

const DESCRIPTOR = /[0-9]{1,9}(?=[<>])/y;

/** A redirection whose here-document is filled in once its text has been read. */
export type RedirectionDraft = { -readonly [K in keyof ShellRedirection]: ShellRedirection[K] };

export function readRedirection(reader: Reader, options: WordOptions): RedirectionDraft | undefined {
  const start = reader.at;
  const digits = matchAt(reader, DESCRIPTOR)?.[0];
  const at = start + (digits?.length ?? 0);
  // `<(…)` is a word.
  const next = reader.text[at] ?? "";
  if (at >= reader.end || (digits === undefined && "<>".includes(next) && reader.text[at + 1] === "(")) {
    return undefined;
  }
  reader.at = at;
  const operator = REDIRECTIONS.find((candidate) => looksAt(reader, candidate));
  if (operator === undefined || (digits !== undefined && operator.startsWith("&"))) {
    reader.at = start;
    return undefined;
  }
  reader.at += operator.length;
  // zsh's `>!` and `>>|` are operators.
  if (operator.includes(">") && /[!|]/.test(peek(reader))) fail(reader, `${peek(reader)} right after ${operator}`);
  skipBlanks(reader);
  const target = readWord(reader, options);
  if (target === undefined) fail(reader, `nothing after ${operator}`);
  const redirection: RedirectionDraft = {
    operator,
    descriptor: digits === undefined ? undefined : Number(digits),
    target,
    start: reader.offsetOf(start),
    end: reader.offsetOf(reader.at),
  };
  if (operator === "<<" || operator === "<<-") {
    if (target.parts.some((part) => part.type !== "literal")) fail(reader, "an expansion as a delimiter", start);
    const delimiter = wordText(target);
    if (/\$'/.test(target.source)) {
      reader.collected.undecidable.push({
        message: `a here-document whose delimiter, ${target.source}, shells read in two ways`,
        start: redirection.start,
        end: redirection.end,
      });
    }
    reader.pending.push({
      delimiter,
      quoted: target.source !== delimiter,
      stripTabs: operator === "<<-",
      context: options.context,
      start,
      receive(text, parts) {
        if (text !== undefined) redirection.hereDocument = text;
        else redirection.hereParts = parts;
      },
    });
  }
  return redirection;
}
