import { resolve } from "@std/path/posix";
import { isObject, present } from "../../base/schema.ts";
import { type JsonObject, objectOf } from "../../base/text/json.ts";
import type { AcpToolInput } from "../packs/pack.ts";
import { isNothing } from "./protocol/extra.ts";
import type { CallPatch } from "./protocol/update.ts";

interface Read {
  readonly tool: AcpToolInput;
  /** What was taken from the call: a command, or files by line. */
  readonly subject: string;
  readonly workdir: string;
  /** Where it would run. */
  readonly cwd: string;
  /** What came with the request itself, and not with what was told of the call before. */
  readonly asked: Pick<CallPatch, "meta" | "output">;
}

/**
 * What a call says besides what was taken from it, as it came: fields of its input or content that the pack does not
 * name, a diff or a file beside a command, a text that says something else. `undefined` where nothing is left.
 *
 * What such a field means only its agent knows, and so no policy may decide about the call. A field tells nothing new
 * where it is empty, or says once more what was taken.
 */
export function unreadIn(call: CallPatch, read: Read): JsonObject | undefined {
  const { tool, asked: { meta: told, output } } = read;
  const { input, text, diffs = [], locations = [], extra } = call;
  const isCommand = tool.as === "command";
  const known = new Set([read.subject, ...read.subject.split("\n"), ...isCommand ? [] : [call.title ?? ""]]);
  const rawInput = restOf(
    input,
    pathsInto("input", tool),
    (key, value) => tool.beside?.includes(key) || says(value, known, read),
  );
  const meta = restOf(told, pathsInto("meta", tool), (key) => tool.beside?.includes(`_meta.${key}`));
  const explained = [...(tool.beside ?? []).map((key) => objectOf(input)[key]), read.subject, call.title];
  const others = isCommand ? locations.filter((path) => !isNamed(path, read)) : [];
  const unread = present({
    rawInput,
    _meta: meta,
    content: text === undefined || isExplained(text, explained, tool) ? undefined : text,
    locations: others.length === 0 ? undefined : others,
    diffs: isCommand && diffs.length > 0 ? diffs : undefined,
    rawOutput: isNothing(output) ? undefined : output,
    ...extra,
  });
  return Object.keys(unread).length === 0 ? undefined : unread;
}

function pathsInto(from: "input" | "meta", { subject, cwd }: AcpToolInput): readonly (readonly string[])[] {
  return [subject, cwd].filter((source) => source?.from === from).map((source) => source?.path ?? []);
}

/** What is left of a value without what stands at these paths, and without what is known otherwise. */
function restOf(
  value: unknown,
  paths: readonly (readonly string[])[],
  isKnown: (key: string, value: unknown) => boolean | undefined,
): unknown {
  if (isNothing(value) || paths.some((path) => path.length === 0)) return undefined;
  if (!isObject(value)) return value;
  const left = Object.entries(value).flatMap(([key, inner]) => {
    const deeper = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
    const rest = deeper.length > 0 ? restOf(inner, deeper, () => false) : isKnown(key, inner) ? undefined : inner;
    return isNothing(rest) ? [] : [[key, rest] as const];
  });
  return left.length === 0 ? undefined : Object.fromEntries(left);
}

function says(value: unknown, known: ReadonlySet<string>, { tool, workdir }: Read): boolean {
  const texts = Array.isArray(value) ? value : [value];
  return texts.length > 0 && texts.every((one) =>
    typeof one === "string" &&
    (known.has(one) ||
      tool.as !== "command" && [...known].some((file) => resolve(workdir, file) === resolve(workdir, one)))
  );
}

/** Whether a text only gives the folder of a call, or says what stands in a field that is read. */
function isExplained(text: string, explained: readonly unknown[], { cwd_in_content: folder }: AcpToolInput): boolean {
  const bare = /^```\w*\n([^]*?)\n?```$/.exec(text.trim())?.[1] ?? text.trim();
  if (bare === "" || explained.some((one) => typeof one === "string" && one.trim() === bare)) return true;
  const placed = folder === undefined ? null : new RegExp(folder).exec(text);
  // What follows the folder is why: [in src] (List files)
  return placed?.index === 0 && /^(?: \([^\n]*\))?$/.test(text.slice(placed[0].length));
}

/** Whether a command names a file itself. */
function isNamed(path: string, { subject, workdir, cwd }: Read): boolean {
  const words = subject.split(/[\s"'`=:;|&()<>{},]+/).filter((word) => word !== "");
  return resolve(path) === resolve(workdir) || resolve(path) === resolve(cwd) ||
    words.some((word) => [workdir, cwd].some((folder) => resolve(folder, word) === resolve(workdir, path)));
}
