import { UsageError } from "../base/errors.ts";
import type { DialogKind } from "../screen/dialog.ts";

export interface PermissionSubject {
  readonly kind: DialogKind;
  readonly subject: string;
}

interface PermissionSubjectsOptions {
  readonly kind: DialogKind;
  /** The kinds that a subject may name. */
  readonly kinds: readonly DialogKind[];
  /** What stands between subjects; it may also stand after the last one. */
  readonly separator: "\0" | "\n";
}

/**
 * Reads the subjects that a policy is to be tried with. Each is a command, a path, or a JSON object with `kind` and
 * `subject`; any other text is a command, even if it begins with a brace.
 */
export function parsePermissionSubjects(
  text: string,
  { kind, kinds, separator }: PermissionSubjectsOptions,
): readonly PermissionSubject[] {
  const records = text.split(separator);
  if (records.at(-1) === "") records.pop();
  return records.map((record, index) => {
    const value = record.startsWith("{") ? parseJson(record) : undefined;
    // "{}" and the like are commands, too.
    if (value?.kind === undefined && value?.subject === undefined) return { kind, subject: record };
    const named = value.kind === undefined ? kind : kinds.find((one) => one === value.kind);
    const problem = named === undefined
      ? `its kind ${JSON.stringify(value.kind)} is not one of ${kinds.join(", ")}`
      : typeof value.subject !== "string"
      ? "its subject is not a string"
      : undefined;
    if (named !== undefined && typeof value.subject === "string") return { kind: named, subject: value.subject };
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
