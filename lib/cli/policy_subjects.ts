import { UsageError } from "../base/errors.ts";
import { usualKind } from "../agents/usual_tools.ts";
import { present } from "../base/schema.ts";
import { textOf } from "../base/text/json.ts";
import type { DialogKind } from "../screen/dialog.ts";

export interface PermissionSubject {
  readonly kind: DialogKind;
  readonly subject: string;
  /** @default the tool that such a request usually calls */
  readonly tool?: string;
}

interface PermissionSubjectsOptions extends Omit<PermissionSubject, "subject"> {
  /** The kinds that a subject may name. */
  readonly kinds: readonly DialogKind[];
  /** What stands between subjects; it may also stand after the last one. */
  readonly separator: "\0" | "\n";
}

/**
 * Reads the subjects that a policy is to be tried with. Each is a command, a path, or a JSON object with `subject`,
 * and `kind` or `tool`; any other text is a command, even if it begins with a brace.
 */
export function parsePermissionSubjects(
  text: string,
  { kinds, separator, ...asked }: PermissionSubjectsOptions,
): readonly PermissionSubject[] {
  const { kind } = asked;
  const records = text.split(separator);
  if (records.at(-1) === "") records.pop();
  return records.map((record, index) => {
    const value = record.startsWith("{") ? parseJson(record) : undefined;
    // "{}" and the like are commands, too.
    if (value?.kind === undefined && value?.subject === undefined) return { ...asked, subject: record };
    const { tool = asked.tool } = value;
    const usual = typeof value.tool === "string" ? usualKind(value.tool) : kind;
    const named = value.kind === undefined ? usual : kinds.find((one) => one === value.kind);
    const problem = named === undefined
      ? `its kind ${JSON.stringify(value.kind)} is not one of ${kinds.join(", ")}`
      : typeof value.subject !== "string"
      ? "its subject is not a string"
      : tool !== undefined && typeof tool !== "string"
      ? "its tool is not a string"
      : undefined;
    if (named !== undefined && problem === undefined) {
      return { kind: named, subject: String(value.subject), ...present({ tool: textOf(tool) }) };
    }
    throw new UsageError(`Cannot use record ${index + 1} of standard input: ${problem}`, {
      hint: 'A record is a command, or a JSON object such as {"kind": "file_edit", "subject": "src/a.ts"}.',
    });
  });
}

function parseJson(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
