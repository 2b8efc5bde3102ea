import { UsageError } from "../base/errors.ts";
import { shellQuote } from "../shell/quote.ts";
import { responseDirFor, responsePathFor } from "./response_files.ts";
import type { Role } from "../base/roles.ts";

/** How the block is built; everything has a default. */
interface InstructionOptions {
  /**
   * The word that ends the heredoc; must not occur in a response. @default {"PANEWRIGHT_" and 12 random hexadecimal
   * digits}
   */
  readonly delimiter?: string;
}

/** What follows a prompt in the same turn, and how it ends. */
export interface FollowUpOptions extends InstructionOptions {
  /** Whether the turn's prompt has asked for a response. @default {true} */
  readonly expectsResponse?: boolean;
}

/**
 * The block at the end of every prompt that tells an agent where its response file is, and the one command that writes
 * it.
 *
 * The command writes beside the response file and renames, so that a response appears whole or not at all. The
 * heredoc's delimiter is quoted: the shell expands nothing in the response.
 *
 * @throws {UsageError} when the path of the working directory has control characters in it
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * assertStringIncludes(responseFileInstruction("/job", "tester"), "/job/.tmp/agent-responses/test_result.md");
 * ```
 */
export function responseFileInstruction(workdir: string, role: Role, options: InstructionOptions = {}): string {
  const path = responsePathFor(workdir, role);
  if (/\p{Cc}/u.test(path)) {
    throw new UsageError(`Cannot name ${JSON.stringify(path)} in a prompt: the path has control characters in it`);
  }
  const dir = shellQuote(responseDirFor(workdir));
  const partial = shellQuote(`${path}.partial`);
  const delimiter = options.delimiter ?? randomDelimiter();
  return `--- RESPONSE FILE INSTRUCTION ---
This is mandatory: your turn counts only when this file exists. An answer that stands only in the terminal is lost.
Response file (absolute path): ${path}
As your last action, write your complete final response to it by running this one shell command, with your response in
place of the line in angle brackets:
mkdir -p ${dir} && cat > ${partial} <<'${delimiter}' && mv -f ${partial} ${shellQuote(path)}
<your complete final response>
${delimiter}
Do not change, move or delete the file afterwards.
--- END OF RESPONSE FILE INSTRUCTION ---`;
}

/**
 * The prompt for an agent that came to rest without a usable response file.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * assertStringIncludes(reminderPrompt("/job", "tester", { problem: "it is empty" }), "it is empty");
 * ```
 */
export function reminderPrompt(
  workdir: string,
  role: Role,
  options: InstructionOptions & {
    readonly problem?: string;
    /** Whether what is at the response path must be removed first. @default {false} */
    readonly inTheWay?: boolean;
  } = {},
): string {
  const { problem = "it is missing", inTheWay = false, ...instruction } = options;
  const first = inTheWay ? "\nRemove what is at that path first; change nothing that a link there leads to." : "";
  return `Your turn is not finished: your response file cannot be used, because ${problem}.${first}
Write it now, with your complete final response to the previous prompt. Do not start the work again.

${responseFileInstruction(workdir, role, instruction)}`;
}

/**
 * The prompt for an agent whose request was refused: a refusal ends the turn of its CLI, but not the turn that we wait
 * for.
 *
 * @param refusal what it asked for ("the command `npm test`"), and why it may not have it, as a full sentence
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * const refusal = { request: "the command `git push`", reason: "The policy denies it." };
 * assertStringIncludes(refusalPrompt("/job", "tester", refusal), "refused: the command `git push`. The policy denies it.");
 * ```
 */
export function refusalPrompt(
  workdir: string,
  role: Role,
  refusal: FollowUpOptions & { readonly request: string; readonly reason: string },
): string {
  const { request, reason, ...options } = refusal;
  return `${refusalText({ request, reason })}

${responseEnd(workdir, role, options)}`;
}

/** What an agent is told whose request was refused and that may continue. */
export function refusalText({ request, reason }: { readonly request: string; readonly reason: string }): string {
  return `What you asked permission for was refused: ${request}. ${reason}
Do not ask for it again, and do not do the same thing in another way. Your task from the previous prompt is not over: continue
without it. If that is impossible, say so in your response.`;
}

/**
 * The prompt for an agent whose CLI was ended in the middle of a turn and now resumes the same session.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * assertStringIncludes(continuationPrompt("/job", "tester"), "Continue the task of the previous prompt");
 * ```
 */
export function continuationPrompt(workdir: string, role: Role, options: InstructionOptions = {}): string {
  return `Your program was ended while you worked on the previous prompt, and has been started again with this conversation.
Continue the task of the previous prompt. What you had begun may be half done: look at the working directory first, keep what
is right, and finish the rest.

${responseFileInstruction(workdir, role, options)}`;
}

/**
 * The prompt for an agent whose turn was ended by a failure of its model server, or by a limit of its account.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * assertStringIncludes(retryPrompt("/job", "tester"), "Continue the task of the previous prompt");
 * ```
 */
export function retryPrompt(workdir: string, role: Role, options: FollowUpOptions = {}): string {
  return `The model server failed while you worked on the previous prompt.
Continue the task of the previous prompt. What you had begun may be half done: look at the working directory first, keep what
is right, and finish the rest.

${responseEnd(workdir, role, options)}`;
}

/**
 * The prompt for an agent that replaces one which was ended in the middle of its turn.
 *
 * @example
 * ```ts
 * import { assertStringIncludes } from "@std/assert";
 * assertStringIncludes(replacementPrompt("Add a flag."), "may be half done");
 * ```
 */
export function replacementPrompt(prompt: string): string {
  return `Another agent was ended while it worked on the task below, and you take its place. What it had begun may be half done: look
at the working directory first, keep what is right, and finish the rest.

${prompt}`;
}

function responseEnd(
  workdir: string,
  role: Role,
  { expectsResponse = true, ...instruction }: FollowUpOptions,
): string {
  return expectsResponse
    ? responseFileInstruction(workdir, role, instruction)
    : "No response is wanted: do not write your response file, and stop when you are done.";
}

function randomDelimiter(): string {
  return `PANEWRIGHT_${crypto.randomUUID().replaceAll("-", "").slice(-12)}`;
}
