import { numberOf, objectOf, textOf } from "../../base/text/json.ts";
import type { AcpActivity } from "./activity.ts";
import { commandOf } from "./exact_request.ts";
import type { AcpRules, CallRecord } from "./state.ts";
import type { CallPatch } from "./protocol/update.ts";
import { present } from "../../base/schema.ts";

export const MAX_TITLE_CHARS = 500;

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

export function outputOf({ text, output }: CallPatch): string {
  if (text !== undefined) return text;
  const { output: inner, stdout, stderr, content, message } = objectOf(output);
  const parts = [output, inner, stdout, stderr, content, message].map(textOf);
  return parts.filter((part) => part !== undefined && part !== "").join("\n");
}

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
