import { resolve } from "@std/path/posix";
import { shellJoin } from "../../shell/quote.ts";
import type { AcpSubjectSource, AcpToolInput } from "../packs/pack.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";
import { objectOf } from "../../base/text/json.ts";
import type { CallPatch } from "./protocol/update.ts";
import { unreadIn } from "./unread.ts";

interface ExactRequestOptions {
  readonly id: string;
  readonly tools: readonly AcpToolInput[];
  readonly workdir: string;
  readonly known?: CallPatch | undefined;
}

const FILE_KINDS = ["file_edit", "file_write", "patch"];

/**
 * What a tool call is about, exactly: by the fields that the agent's pack names, and never by a title that it does not
 * vouch for. Of the kind `other`, which only a person decides about, where no field has it, or where it is not sure in
 * which folder it would run.
 *
 * So is a call of which something could not be read, or that has a field which the pack does not know. Who decides then
 * sees all that it tells.
 *
 * The files of a diff, and the places, that come with the call are among its subject, whatever the named field says.
 */
export function exactRequestOf(request: CallPatch, { id, tools, workdir, known }: ExactRequestOptions): Request {
  const call = known === undefined ? request : { ...known, ...request };
  const about = { id, source: "acp", tool: call.name ?? call.kind ?? "other" } as const;
  const usable = call.hasUnread ? [] : tools.filter((one) => fits(one, call));
  const unread: unknown[] = [];
  for (const tool of usable) {
    const subject = subjectOfCall(call, tool);
    if (subject === undefined || tool.as === "patch" && !tellsTargets(call)) continue;
    const cwd = folderOf({ request, known, subject }, tool);
    if (cwd === "unknown") continue;
    const read = { tool, subject, workdir, cwd: resolve(workdir, cwd ?? ""), asked: request };
    const left = unreadIn(call, read) ??
      (known && unreadIn({ id, input: known.input, ...present({ extra: known.extra }) }, read));
    if (left === undefined) {
      return { ...about, kind: tool.as, subject, ...(cwd === undefined ? {} : { cwd: read.cwd }) };
    }
    unread.push(left);
    break;
  }
  const { title = "", locations = [], diffs = [] } = call;
  const input = isEmpty(call.input) ? "" : JSON.stringify(call.input);
  const files = [...new Set([...locations, ...diffs])].filter((path) => !`${title}${input}`.includes(path));
  const fields = unread.map((left) => `Not known: ${JSON.stringify(left)}`);
  const parts = [title, input, ...files, ...fields].filter((part) => part !== "");
  return { ...about, kind: "other", subject: parts.join("\n") };
}

export function commandOf(call: CallPatch, tools: readonly AcpToolInput[]): string | undefined {
  return tools.filter((tool) => tool.as === "command" && fits(tool, call))
    .map((tool) => subjectOfCall(call, tool)).find((subject) => subject !== undefined);
}

/**
 * Whether each file of a patch has a diff: where a file is moved to stands nowhere else, and Codex (2.6.0) leaves out
 * diffs of more than 1 MiB.
 */
function tellsTargets({ locations = [], diffs = [] }: CallPatch): boolean {
  return new Set(diffs).size >= new Set(locations).size;
}

export type CallAct =
  | { readonly type: "command"; readonly command: string }
  | { readonly type: "files"; readonly files: readonly string[] };

/**
 * What a call does by what it says exactly: a title may change with what is known of the call. `undefined` where it
 * does not say so.
 */
export function actOf(call: CallPatch, tools: readonly AcpToolInput[]): CallAct | undefined {
  for (const { as, subject, ...tool } of tools) {
    if (subject.from === "title" || !fits(tool, call)) continue;
    if (FILE_KINDS.includes(as)) {
      const files = [...new Set([...filesIn(call, subject) ?? [], ...call.diffs ?? []])];
      if (files.length > 0) return { type: "files", files };
    } else if (as === "command") {
      const command = subjectOf(call, subject);
      if (command !== undefined) return { type: "command", command };
    }
  }
  return undefined;
}

export function describesItself(call: CallPatch, tools: readonly AcpToolInput[]): boolean {
  return tools.some((tool) =>
    fits(tool, call) && tool.cwd_in_content && new RegExp(tool.cwd_in_content).test(call.text ?? "")
  );
}

function fits({ name, kind }: Pick<AcpToolInput, "name" | "kind">, call: CallPatch): boolean {
  return (name === undefined || name === call.name) && (kind === undefined || kind === (call.kind ?? "other"));
}

function subjectOfCall(call: CallPatch, { as, subject }: AcpToolInput): string | undefined {
  return FILE_KINDS.includes(as) ? filesOf(call, subject) : subjectOf(call, subject);
}

/**
 * The folder in which a call would run; `undefined` where it names none. What an earlier update names counts only with
 * the same subject: OpenCode (1.18.33) begins with another folder, before it knows the tool's input.
 */
function folderOf(
  { request, known, subject }: {
    readonly request: CallPatch;
    readonly known: CallPatch | undefined;
    readonly subject: string;
  },
  tool: AcpToolInput,
): string | "unknown" | undefined {
  const { cwd_in_content: inContent } = tool;
  if (inContent !== undefined) return new RegExp(inContent).exec(request.text ?? "")?.[1] ?? "unknown";
  if (tool.cwd === undefined) return undefined;
  const own = subjectOf(request, tool.cwd);
  if (own !== undefined || known === undefined) return own;
  const told = subjectOf(known, tool.cwd);
  return told === undefined || subjectOfCall(known, tool) === subject ? told : "unknown";
}

function filesOf(call: CallPatch, source: AcpSubjectSource): string | undefined {
  const paths = filesIn(call, source);
  return paths && linesOf([...new Set([...paths, ...call.diffs ?? [], ...call.locations ?? []])]);
}

function filesIn(call: CallPatch, source: AcpSubjectSource): readonly string[] | undefined {
  const texts = textsOf(call, source);
  return source.from === "title" ? texts?.flatMap((title) => title.split("\n")) : texts;
}

function subjectOf(call: CallPatch, source: AcpSubjectSource): string | undefined {
  const { from, form = "text" } = source;
  const texts = textsOf(call, source);
  const isOne = from === "title" || from !== "locations" && from !== "diffs" && (form === "text" || form === "argv");
  return isOne ? texts?.[0] : linesOf(texts);
}

/** What stands at a source: at least one text, or `undefined`. */
function textsOf(call: CallPatch, { from, path = [], form }: AcpSubjectSource): readonly string[] | undefined {
  const texts = from === "input" || from === "meta"
    ? textsIn(valueAt(call[from], path), form)
    : from === "title"
    ? textsIn(call.title, "text")
    : call[from] ?? [];
  return texts.length === 0 ? undefined : texts;
}

function textsIn(value: unknown, form: AcpSubjectSource["form"] = "text"): readonly string[] {
  switch (form) {
    case "text":
      return typeof value === "string" && value !== "" ? [value] : [];
    case "texts":
      return typeof value === "string" ? [value] : isTexts(value) ? value : [];
    case "argv":
      return isTexts(value) && value.length > 0 ? [scriptOf(value)] : [];
    case "keys":
      return Object.keys(objectOf(value));
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((at, key) => Object.hasOwn(objectOf(at), key) ? objectOf(at)[key] : undefined, value);
}

/** A path with a line end would be read as two. */
function isNoPath(path: string): boolean {
  return path.trim() === "" || /[\r\n\0]/.test(path);
}

function linesOf(texts: readonly string[] | undefined): string | undefined {
  return texts === undefined || texts.length === 0 || texts.some(isNoPath) ? undefined : texts.join("\n");
}

/** The script that the system's `sh -c` and its like are given; any other command as a shell would read it. */
function scriptOf(argv: readonly string[]): string {
  const [shell = "", flag = "", script, ...more] = argv;
  const isScript = /^(?:\/(?:usr\/(?:local\/)?)?bin\/)?(?:ba|z|da|k)?sh$/.test(shell) && /^-l?c$/.test(flag) &&
    script !== undefined;
  return isScript && more.length === 0 ? script : shellJoin(argv);
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isEmpty(input: unknown): boolean {
  return input === undefined || (typeof input === "object" && input !== null && Object.keys(input).length === 0);
}
