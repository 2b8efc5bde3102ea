import type { Role } from "../base/roles.ts";
import type { DialogInfo, DialogKind } from "../screen/dialog.ts";
import { type Inspection, newInspection } from "./inspect/inspection.ts";
import { inspectShellText } from "./inspect/shell_text.ts";
import { type Ground, whereto } from "./places.ts";
import type { PermissionPolicy } from "./rules.ts";

/** What a policy needs to know of a request, also of one that only a screen tells of. */
export interface PermissionRequest extends Pick<DialogInfo, "kind" | "subject"> {
  /** @default {true} */
  readonly subjectComplete?: boolean;
  /** @default {[]} */
  readonly otherReadings?: readonly string[];
  /** The CLI's name of the tool; missing where it is not known: then an entry that names one only may mean it. */
  readonly tool?: string;
  /** Whether the tool does something that is usually understood, and is not here. @default {false} */
  readonly unread?: boolean;
}

export interface PermissionContext extends Pick<Ground, "workdir" | "cwd" | "home" | "realPath" | "mayHoldRepository"> {
  readonly policy: PermissionPolicy;
  /** Missing for an agent without a role: a step's. An entry that names roles is not about it. */
  readonly role: Role | undefined;
  readonly provider: string;
}

const FILE_KINDS: readonly DialogKind[] = ["patch", "file_write", "file_edit"];

/** What a request is about, looked at once for all rules. */
export function inspectRequest(request: PermissionRequest, context: PermissionContext): Inspection {
  const { kind, subject, subjectComplete = true } = request;
  const ground = { ...context, writable: context.policy.writable ?? [] };
  const inspection = newInspection(kind, ground);
  const { doubts } = inspection;
  if (kind === "other" || kind === "plan") return inspection;
  if (subject === undefined || subject.trim() === "") {
    doubts.push({ message: kind === "command" ? "its command is not shown" : "its file is not shown" });
  } else if (!subjectComplete) doubts.push({ message: "only a part of it is shown" });
  if (kind === "command") inspectShellText(subject ?? "", inspection);
  if (FILE_KINDS.includes(kind)) inspectFiles(subject ?? "", inspection);
  return inspection;
}

function inspectFiles(subject: string, { files, violations, guarded, doubts, ground }: Inspection): void {
  for (const path of subject.split("\n").filter((line) => line.trim() !== "")) {
    files.push(path);
    const use = { folders: [ground.workdir], does: "write" } as const;
    const { place, protected: kept } = whereto(path, use, ground);
    if (place === "outside") {
      const message = `it writes to ${path}, outside the working directory`;
      violations.push({ rule: "write_outside_workdir", message });
    }
    if (kept !== undefined) guarded.push(`it writes to ${path}, and ${kept} is protected`);
    // For some programs a path ends at a NUL.
    if (path.startsWith("~") || path.includes("\0") || place === "unknown") {
      doubts.push({ message: `where ${path} leads is not known`, about: "write_outside_workdir" });
    }
  }
}
