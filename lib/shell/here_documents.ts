import { deeper, peek, type PendingHereDocument, type Reader, skipBlanks } from "./reader.ts";
import { readHereText, type WordOptions } from "./words.ts";

/** Skips blanks, comments and newlines, with the here-documents that begin after them. */
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
    const { bodyEnd, next } = findEnd(reader, document);
    document.receive(
      document.quoted
        ? stripped(reader.text.slice(reader.at, bodyEnd), document)
        : readExpanded(reader, { document, bodyEnd, options }),
    );
    reader.at = next;
  }
}

/** Where the text ends and where the line after its delimiter begins; without a delimiter, the end of the input. */
function findEnd(
  reader: Reader,
  { delimiter, quoted, stripTabs }: PendingHereDocument,
): { readonly bodyEnd: number; readonly next: number } {
  let continued = false;
  for (let from = reader.at; from < reader.end;) {
    const newline = reader.text.indexOf("\n", from);
    const to = newline === -1 || newline > reader.end ? reader.end : newline;
    let begin = from;
    while (stripTabs && begin < to && reader.text[begin] === "\t") begin++;
    if (!continued && to - begin === delimiter.length && reader.text.startsWith(delimiter, begin)) {
      return { bodyEnd: from, next: Math.min(to + 1, reader.end) };
    }
    continued = !quoted && endsInBackslash(reader.text, from, to);
    from = to + 1;
  }
  return { bodyEnd: reader.end, next: reader.end };
}

/** Whether a line continues on the next one: it ends with an odd number of backslashes. */
function endsInBackslash(text: string, from: number, to: number): boolean {
  let count = 0;
  while (to - 1 - count >= from && text[to - 1 - count] === "\\") count++;
  return count % 2 === 1;
}

function stripped(text: string, { stripTabs }: PendingHereDocument): string {
  return stripTabs ? text.replaceAll(/^\t+/gm, "") : text;
}

function readExpanded(
  reader: Reader,
  { document, bodyEnd, options }: {
    readonly document: PendingHereDocument;
    readonly bodyEnd: number;
    readonly options: WordOptions;
  },
): string | undefined {
  const { readCommands } = options;
  const body: Reader = { ...reader, end: bodyEnd, pending: [] };
  const text = readHereText(body, { context: deeper(reader, document.context), readCommands });
  return text === undefined ? undefined : stripped(text, document);
}
