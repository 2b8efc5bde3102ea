import { deeper, peek, type PendingHereDocument, type Reader, skipBlanks } from "./reader.ts";
import { wordText } from "./word_text.ts";
import { readHereText, type WordOptions } from "./words.ts";

export function skipNewlines(reader: Reader, options: WordOptions): void {
  for (;;) {
    skipBlanks(reader);
    if (peek(reader) !== "\n") return;
    reader.at++;
    readHereDocuments(reader, options);
  }
}

/** Reads the texts of the here-documents that begin after the newline just read. */
export function readHereDocuments(reader: Reader, options: WordOptions): void {
  for (const document of reader.pending.splice(0)) {
    const { bodyEnd, next, continued } = findEnd(reader, document);
    if (continued) {
      reader.collected.undecidable.push({
        message: `a here-document whose delimiter, ${document.delimiter}, follows a continued line`,
        start: reader.offsetOf(reader.at),
        end: reader.offsetOf(next),
      });
    }
    if (document.quoted) document.receive(stripped(reader.text.slice(reader.at, bodyEnd), document), []);
    else {
      const body: Reader = { ...reader, end: bodyEnd, pending: [] };
      const parts = readHereText(body, { ...options, context: deeper(reader, document.context) });
      const known = parts.every(({ type }) => type === "literal");
      document.receive(known ? stripped(wordText({ parts }), document) : undefined, parts);
    }
    reader.at = next;
  }
}

/**
 * Where the text ends and where the line after its delimiter begins; without a delimiter, the end of the input.
 * `continued` where the delimiter is only there once continued lines are joined, as shells do.
 */
function findEnd(
  reader: Reader,
  { delimiter, quoted, stripTabs }: PendingHereDocument,
): { readonly bodyEnd: number; readonly next: number; readonly continued: boolean } {
  let joined: string | undefined;
  for (let from = reader.at; from < reader.end;) {
    const newline = reader.text.indexOf("\n", from);
    const to = newline === -1 || newline > reader.end ? reader.end : newline;
    let begin = from;
    while (stripTabs && begin < to && reader.text[begin] === "\t") begin++;
    const next = Math.min(to + 1, reader.end);
    if (joined === undefined) {
      if (to - begin === delimiter.length && reader.text.startsWith(delimiter, begin)) {
        return { bodyEnd: from, next, continued: false };
      }
    } else if (joined + reader.text.slice(begin, to) === delimiter) return { bodyEnd: from, next, continued: true };
    const continues = !quoted && endsInBackslash(reader.text, from, to);
    // No longer than the delimiter: what is longer cannot become it.
    joined = continues ? ((joined ?? "") + reader.text.slice(begin, to - 1)).slice(0, delimiter.length + 1) : undefined;
    from = to + 1;
  }
  return { bodyEnd: reader.end, next: reader.end, continued: false };
}

function endsInBackslash(text: string, from: number, to: number): boolean {
  let count = 0;
  while (to - 1 - count >= from && text[to - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

function stripped(text: string, { stripTabs }: PendingHereDocument): string {
  return stripTabs ? text.replaceAll(/^\t+/gm, "") : text;
}
