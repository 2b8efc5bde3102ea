/** A call of the command line, with what is there before it and what it must come to. */
export interface TranscriptCall {
  /** Files by their paths below the case's folder: those that are made, changed, or (undefined) taken away before. */
  readonly files: Readonly<Record<string, TranscriptFile | undefined>>;
  /** Variables; those of the call before hold where there are none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The locks that another process holds meanwhile: each the path of its file, and who it says that it is. */
  readonly held?: string;
  readonly cwd?: string;
  readonly stdin?: string;
  readonly terminal?: string;
  readonly columns?: string;
  readonly keys?: string;
  readonly args: readonly string[];
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  /** The files that the call has made, changed or taken away. */
  readonly wrote: Readonly<Record<string, TranscriptFile | undefined>>;
}

export interface TranscriptFile {
  /** A tool is a link to the program of that name on PATH. */
  readonly kind: "file" | "program" | "link" | "tool";
  readonly text: string;
}

/** The cases of a file, and what is there before each of them. */
export interface Transcripts {
  readonly shared: Pick<TranscriptCall, "files" | "env"> & {
    /** What the clock says; it is the machine's where nothing is said. */
    readonly now?: string;
  };
  readonly cases: readonly TranscriptCase[];
}

export interface TranscriptCase {
  readonly name: string;
  readonly calls: readonly TranscriptCall[];
}

/** What stands for the case's folder in a transcript. */
export const DIR = "DIR";

/**
 * Reads a file of transcripts: `== name` begins a case, `-- what` says what the lines below it are, `$ args` is a call,
 * followed by its exit code. A text without a newline at its end is marked with `\` after its heading; a line that looks
 * like a heading has a `\` before it. What stands above the first case is there before each.
 */
export function parseTranscripts(source: string): Transcripts {
  const [above = "", ...parts] = source.split(/^== /m);
  const { left: shared } = parsePart(above);
  return {
    shared,
    cases: parts.map((part) => {
      const end = part.indexOf("\n");
      return { name: part.slice(0, end), calls: parsePart(part.slice(end + 1)).calls };
    }),
  };
}

function parsePart(part: string): { readonly calls: readonly TranscriptCall[]; readonly left: Transcripts["shared"] } {
  const sections = part.split(/^(?=-- |\$ )/m).filter((section) => section !== "");
  const calls: TranscriptCall[] = [];
  let before: Record<string, unknown> & { files: Record<string, TranscriptFile | undefined> } = { files: {} };
  for (const section of sections) {
    const head = section.slice(0, section.indexOf("\n"));
    const text = unescaped(section.slice(head.length + 1));
    if (head.startsWith("$ ")) {
      const args = head[2] === "[" ? JSON.parse(head.slice(2)) : head.slice(2).split(" ").filter((arg) => arg !== "");
      calls.push({ ...before, args, code: Number(text), stdout: "", stderr: "", wrote: {} });
      before = { files: {} };
      continue;
    }
    const isOpen = head.endsWith(" \\");
    const [what = "", ...words] = head.slice(3, isOpen ? -2 : undefined).split(" ");
    const rest = words.join(" ");
    const body = isOpen ? text.slice(0, -1) : text;
    const last = calls.at(-1);
    if (what === "stdout" || what === "stderr") calls[calls.length - 1] = { ...last!, [what]: body };
    else if (what === "wrote" || what === "removed") {
      const wrote = what === "wrote" ? { kind: "file", text: body } as const : undefined;
      calls[calls.length - 1] = { ...last!, wrote: { ...last!.wrote, [rest]: wrote } };
    } else if (what === "file" || what === "program" || what === "tool") {
      before.files[rest] = { kind: what, text: body };
    } else if (what === "link") before.files[rest] = { kind: "link", text: text.trimEnd() };
    else if (what === "gone") before.files[rest] = undefined;
    else if (what === "env") {
      before["env"] = Object.fromEntries(text.split("\n").filter((line) => line !== "").map(variable));
    } else before[what] = what === "stdin" || what === "keys" ? body : rest;
  }
  return { calls, left: before };
}

function variable(line: string): [string, string] {
  const at = line.indexOf("=");
  return [line.slice(0, at), line.slice(at + 1)];
}

function unescaped(text: string): string {
  return text.replaceAll(/^\\(?=\\|-- |\$ |== )/gm, "");
}

/** The file of some transcripts. */
export function formatTranscripts({ shared, cases }: Transcripts): string {
  return [formatBefore(shared), ...cases.map(({ name, calls }) => `== ${name}\n${calls.map(formatCall).join("")}`)]
    .join("");
}

function formatBefore({ files, env, now }: Transcripts["shared"]): string {
  return [
    ...(now === undefined ? [] : [`-- now ${now}\n`]),
    ...Object.entries(files).map(([path, file]) =>
      file === undefined ? `-- gone ${path}\n` : section(`${file.kind} ${path}`, file.text)
    ),
    ...(env === undefined ? [] : [section("env", Object.entries(env).map((entry) => `${entry.join("=")}\n`).join(""))]),
  ].join("");
}

function formatCall(call: TranscriptCall): string {
  const { args, code, stdout, stderr, wrote } = call;
  const plain = args.every((arg) => /^[^\s"\\[]+$/.test(arg));
  return [
    formatBefore(call),
    ...(["held", "cwd", "terminal", "columns"] as const).flatMap((key) =>
      call[key] === undefined ? [] : `-- ${key} ${call[key]}\n`
    ),
    ...(["stdin", "keys"] as const).flatMap((key) => call[key] === undefined ? [] : section(key, call[key])),
    `$ ${plain ? args.join(" ") : JSON.stringify(args)}\n${code}\n`,
    ...(stdout === "" ? [] : [section("stdout", stdout)]),
    ...(stderr === "" ? [] : [section("stderr", stderr)]),
    ...Object.entries(wrote).map(([path, file]) =>
      file === undefined ? `-- removed ${path}\n` : section(`wrote ${path}`, file.text)
    ),
  ].join("");
}

function section(head: string, text: string): string {
  const body = text.replaceAll(/^(?=\\|-- |\$ |== )/gm, "\\");
  if (text === "" || text.endsWith("\n")) return `-- ${head}\n${body}`;
  return `-- ${head} \\\n${body}\n`;
}
