import { numberOf, objectOf, textOf } from "../../base/text/json.ts";
import type { AcpActivity } from "./activity.ts";
import { commandOf } from "./exact_request.ts";
import type { AcpRules, CallRecord } from "./state.ts";
import type { CallPatch } from "./update.ts";
import { present } from "../../base/schema.ts";

/** How much of a title, and of a refused call, is kept. The audit log has all of it. */
export const MAX_TITLE_CHARS = 500;

/** What a person is told of a call. */
export function callActivity(call: CallRecord, rules: AcpRules): AcpActivity {
  const { command, paths } = callWords(call, rules);
  return {
    ...{
      type: "tool_call",
      id: call.id,
      kind: call.kind ?? "other",
      title: call.title ?? "",
      status: call.status,
    } as const,
    ...present({ command }),
    ...(paths.length === 0 ? {} : { paths }),
  };
}

/** What a call is about: its exact command, its files, and a line for a person. */
export function callWords(
  call: CallPatch,
  { tools }: Pick<AcpRules, "tools">,
): { readonly command?: string; readonly paths: readonly string[]; readonly line: string } {
  const command = commandOf(call, tools);
  const paths = [...new Set([...call.locations ?? [], ...call.diffs ?? []])];
  if (command !== undefined) return { command, paths, line: command };
  const title = call.title ?? call.name ?? call.kind ?? "a tool";
  const isNamed = paths.every((path) => title.includes(path));
  return { paths, line: isNamed ? title : `${title} (${paths.join(", ")})` };
}

/** What a call has written, as far as it is told: in its content, or as its tool has it. */
export function outputOf({ text, output }: CallPatch): string {
  if (text !== undefined) return text;
  const { output: inner, stdout, stderr, content, message } = objectOf(output);
  const parts = [output, inner, stdout, stderr, content, message].map(textOf);
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

/** The exit code of a command, where its agent tells it: each of them elsewhere. */
export function exitCodeOf({ output, meta }: CallPatch): number | undefined {
  const raw = objectOf(output);
  const shell = Array.isArray(raw["contents"]) ? raw["contents"].map(objectOf) : [];
  const candidates = [
    raw["exit_code"],
    raw["exitCode"],
    objectOf(raw["metadata"])["exit"],
    objectOf(objectOf(meta)["terminal_exit"])["exit_code"],
    ...shell.map((part) => part["exitCode"]),
  ];
  return candidates.map(numberOf).find((code) => code !== undefined);
}
