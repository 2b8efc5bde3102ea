import { resolve } from "@std/path/posix";
import type { Request } from "../../policy/request.ts";
import type { DialogInfo } from "../../screen/dialog.ts";

/**
 * Whether a dialog on the screen is the one about a request, by all that the screen shows of it: its kind, and the
 * whole command or the same files. What a screen may leave out, blanks and characters without a shape, does not count;
 * whatever else it adds or lacks does.
 */
export function isShownBy(
  dialog: Pick<DialogInfo, "kind" | "subject" | "subjectComplete" | "otherReadings">,
  request: Request,
  workdir: string,
): boolean {
  const { kind, subject, subjectComplete, otherReadings } = dialog;
  // A plan is drawn as a page; there is one at a time.
  if (kind === "plan") return request.kind === "plan";
  if (kind !== request.kind || subject === undefined || !subjectComplete) return false;
  const readings = [subject, ...otherReadings];
  if (kind === "command") return readings.some((text) => shapesOf(text) === shapesOf(request.subject));
  const cwd = request.cwd ?? workdir;
  const files = filesOf(request.subject, cwd);
  return readings.some((text) => {
    const shown = filesOf(text, cwd);
    return shown.length === files.length && shown.every((path, index) => path === files[index]);
  });
}

/** Characters that have a shape on every screen. */
function shapesOf(text: string): string {
  return text.replace(/[\s\p{C}\p{Default_Ignorable_Code_Point}]/gu, "");
}

/** What tells one dialog that is waited for from the next: questions are the same whatever page of them is open. */
export function identityOf(
  { fingerprint }: Pick<DialogInfo, "fingerprint">,
  request: Request | undefined,
): string {
  return request?.questions === undefined ? fingerprint : `questions ${request.id}`;
}

function filesOf(subject: string, cwd: string): readonly string[] {
  const paths = subject.split("\n").filter((path) => path.trim() !== "");
  return paths.map((path) => resolve(cwd, path)).sort();
}

/** Whether two records are of one request: each record has its own ids. */
export function isSameRequest(one: Request | undefined, other: Request | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.source === other.source) return one.id === other.id;
  return one.kind === other.kind && one.subject === other.subject && (one.cwd ?? other.cwd) === (other.cwd ?? one.cwd);
}
