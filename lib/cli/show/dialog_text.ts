import type { DialogKind } from "../../screen/dialog.ts";

const REQUESTS: Readonly<Record<DialogKind, string>> = {
  command: "wants to run a command",
  patch: "wants to change files",
  file_edit: "wants to change a file",
  file_write: "wants to write a file",
  question: "asks a question",
  plan: "wants its plan approved",
  trust: "asks whether to trust the folder",
  login: "asks for a login",
  update: "offers an update",
  hooks: "asks about hooks",
  other: "shows a dialog that is not recognised",
};

/**
 * What an agent asks for with a dialog, to be said after its role.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(dialogRequest({ kind: "command", subject: "npm test" }), "wants to run a command");
 * assertEquals(dialogRequest({ kind: "patch", subject: undefined }), "wants to change files that are not shown");
 * ```
 */
export function dialogRequest(
  { kind, subject }: { readonly kind: DialogKind; readonly subject?: string | undefined },
): string {
  const request = REQUESTS[kind] ?? `shows a dialog about ${kind.replaceAll("_", " ")}`;
  if (subject !== undefined || !request.endsWith(" command") && !/ files?$/.test(request)) return request;
  return `${request} that ${kind === "patch" ? "are" : "is"} not shown`;
}
