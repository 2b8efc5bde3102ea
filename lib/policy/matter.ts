import type { Role } from "../base/roles.ts";
import type { DialogInfo, DialogKind } from "../screen/dialog.ts";
import type { Doubt, Inspection } from "./inspect/inspection.ts";
import { inspectShellText } from "./inspect/shell_text.ts";
import { type Ground, whereto } from "./places.ts";
import type { PermissionPolicy } from "./rules.ts";

/** What a policy needs to know of a request, also of one that only a screen tells of. */
export interface PermissionRequest extends Pick<DialogInfo, "kind" | "subject"> {
  /** @default {true} */
  readonly subjectComplete?: boolean;
  /** @default {[]} */
  readonly otherReadings?: readonly string[];
}

export interface PermissionContext extends Pick<Ground, "workdir" | "cwd" | "home" | "realPath"> {
  readonly policy: PermissionPolicy;
  /** Missing for an agent without a role: a step's. An entry that names roles is not about it. */
  readonly role: Role | undefined;
  readonly provider: string;
}

/** What a dialog is about, looked at once for all rules. */
export interface Matter {
  readonly kind: DialogKind;
  readonly inspection: Inspection | undefined;
  readonly paths: readonly string[];
}

const FILE_KINDS: readonly DialogKind[] = ["patch", "file_write", "file_edit"];

export function matterOf({ kind, subject }: PermissionRequest, ground: Ground): Matter {
  const lines = FILE_KINDS.includes(kind) ? subject?.split("\n") ?? [] : [];
  return {
    kind,
    inspection: kind === "command" && subject !== undefined ? inspectShellText(subject, ground) : undefined,
    paths: lines.filter((line) => line.trim() !== ""),
  };
}

export function violationsOf({ kind, inspection, paths }: Matter, ground: Ground): Inspection["violations"] {
  if (inspection !== undefined) return inspection.violations;
  if (!FILE_KINDS.includes(kind)) return [];
  const outside = paths.find((path) => written(path, ground).place === "outside");
  if (outside === undefined) return [];
  return [{ rule: "write_outside_workdir", message: `it writes to ${outside}, outside the working directory` }];
}

function written(path: string, ground: Ground) {
  return whereto(path, { folders: [ground.workdir], does: "write" }, ground);
}

/** What only a person may allow, whatever the policy says. */
export function guardedBy({ kind, inspection, paths }: Matter, ground: Ground): string | undefined {
  if (inspection !== undefined) return inspection.guarded[0];
  if (!FILE_KINDS.includes(kind)) return undefined;
  for (const path of paths) {
    const { protected: kept } = written(path, ground);
    if (kept !== undefined) return `it writes to ${path}, and ${kept} is protected`;
  }
  return undefined;
}

/** What of it cannot be known. */
export function doubtsOf(
  { kind, subject, subjectComplete = true }: PermissionRequest,
  { inspection, paths }: Matter,
  ground: Ground,
): readonly Doubt[] {
  if (kind === "other" || kind === "plan") return [];
  if (subject === undefined || subject.trim() === "") {
    return [{ message: kind === "command" ? "its command is not shown" : "its file is not shown" }];
  }
  if (!subjectComplete) return [{ message: "only a part of it is shown" }];
  const unknown = FILE_KINDS.includes(kind)
    // For some programs a path ends at a NUL.
    ? paths.find((path) => path.startsWith("~") || path.includes("\0") || written(path, ground).place === "unknown")
    : undefined;
  if (unknown === undefined) return inspection?.doubts ?? [];
  return [{ message: `where ${unknown} leads is not known`, about: "write_outside_workdir" }];
}
