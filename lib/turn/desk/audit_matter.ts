import type { PaneLook } from "../../agents/pane/pane_look.ts";
import type { DialogInfo } from "../../screen/dialog.ts";
import type { AuditDecision } from "./audit.ts";
import type { Request } from "../../policy/request.ts";
import { present } from "../../base/schema.ts";

type Matter = Pick<AuditDecision, "kind" | "command" | "source" | "cwd">;

/** What a decision is about: the exact request where it is known, otherwise what the screen shows. */
export function aboutOf(
  { kind, subject }: DialogInfo,
  look: PaneLook,
  request: Request | undefined,
): Matter & Pick<AuditDecision, "before"> {
  return { ...matterFields({ kind, subject, request }), before: rowsOf(look.screen) };
}

/** What the audit log keeps of what is decided about. */
export function matterFields(
  { kind, subject, request }: Pick<DialogInfo, "kind" | "subject"> & { readonly request: Request | undefined },
): Matter {
  return request === undefined ? { kind, command: subject } : requestFields(request);
}

/** What the audit log keeps of a request. */
export function requestFields({ kind, subject, source, cwd }: Request): Matter {
  return { kind, command: subject, source, ...present({ cwd }) };
}

/** The rows of a screen as text, from the top. */
export function rowsOf({ rows }: PaneLook["screen"]): readonly string[] {
  return rows.map(({ text }) => text);
}
