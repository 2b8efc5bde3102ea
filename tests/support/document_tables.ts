/** Makes a table. */
export type MakeTable = () => string | Promise<string>;

/** The tables of a document that a task makes, by the names that stand in the document. */
export interface DocumentTables {
  readonly task: string;
  readonly tables: Readonly<Record<string, MakeTable>>;
}

/**
 * What a document looks like with tables made anew; each stands between `<!-- made by deno task TASK: NAME -->` and
 * `<!-- end -->`.
 *
 * @throws {TypeError} when the document has no place for one
 */
export async function withTables(document: string, { task, tables }: DocumentTables): Promise<string> {
  let text = document;
  for (const [name, make] of Object.entries(tables)) {
    const [begin, end] = [`<!-- made by deno task ${task}: ${name} -->\n`, "<!-- end -->"];
    const from = text.indexOf(begin) + begin.length;
    const to = text.indexOf(end, from);
    if (from < begin.length || to < 0) throw new TypeError(`There is no place for the table ${name}`);
    text = `${text.slice(0, from)}\n${await make()}\n${text.slice(to)}`;
  }
  return text;
}

/** A table as `deno fmt` writes it: the first column to the left, the others to the right. */
export function table([headings = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = headings.map((heading, column) =>
    Math.max(...[heading, ...rows.map((row) => row[column] ?? "")].map(({ length }) => length))
  );
  const line = (cells: readonly string[]) =>
    `| ${
      widths.map((width, column) =>
        column === 0 ? (cells[0] ?? "").padEnd(width) : (cells[column] ?? "").padStart(width)
      ).join(" | ")
    } |`;
  const rule = widths.map((width, column) => column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`);
  return [line(headings), line(rule), ...rows.map(line)].join("\n");
}
