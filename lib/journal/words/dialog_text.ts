import type { AgentQuestion } from "../../base/question.ts";

const REQUESTS: Readonly<Record<string, string>> = {
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

export function dialogRequest(
  { kind, subject }: { readonly kind: string; readonly subject?: string | undefined },
): string {
  const request = REQUESTS[kind] ?? `shows a dialog about ${kind.replaceAll("_", " ")}`;
  if (subject !== undefined || !request.endsWith(" command") && !/ files?$/.test(request)) return request;
  return `${request} that ${kind === "patch" ? "are" : "is"} not shown`;
}

/**
 * What stands in a command line for the answer to a dialog.
 *
 * @param questions what it asks; missing where it asks for a yes or a no
 */
export function answerForm(questions: readonly AgentQuestion[] | undefined): string {
  if (questions === undefined) return "yes|no";
  return questions.length === 1 ? '"YOUR ANSWER"' : questions.map((_, index) => `"ANSWER ${index + 1}"`).join(" ");
}
