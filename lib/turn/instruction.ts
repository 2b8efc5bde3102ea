import { UsageError } from "../base/errors.ts";
import { shellQuote } from "../shell/quote.ts";
import { responseDirFor, responsePathOf } from "./response_files.ts";
import type { Role } from "../base/roles.ts";

/** How the block is built; everything has a default. */
export interface InstructionOptions {
  /**
   * The word that ends the heredoc; must not occur in a response. @default {"PANEWRIGHT_" and 12 random hexadecimal
   * digits}
   */
  readonly delimiter?: string;
}

interface FollowUpOptions extends InstructionOptions {
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
  const path = responsePathOf(workdir, role);
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

export function reminderPrompt(
  workdir: string,
  role: Role,
  options: InstructionOptions & {
    readonly problem?: string;
    /** Whether what is at the response path must be removed first. */
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

export function continuationPrompt(workdir: string, role: Role, options: InstructionOptions = {}): string {
  return `Your program was ended while you worked on the previous prompt, and has been started again with this conversation.
Continue the task of the previous prompt. What you had begun may be half done: look at the working directory first, keep what
is right, and finish the rest.

${responseFileInstruction(workdir, role, options)}`;
}

export function retryPrompt(
  workdir: string,
  role: Role,
  { what = "The model server failed", ...options }: FollowUpOptions & { readonly what?: string } = {},
): string {
  return `${what} while you worked on the previous prompt.
Continue the task of the previous prompt. What you had begun may be half done: look at the working directory first, keep what
is right, and finish the rest.

${responseEnd(workdir, role, options)}`;
}

/** A message to an agent in a turn during which its conversation was made shorter: with what it was told at its beginning. */
export function restatedPrompt(prompt: string, message: string): string {
  return `Your conversation was made shorter while you worked, so what you were told may be lost. The previous prompt was:

--- PREVIOUS PROMPT ---
${prompt}
--- END OF PREVIOUS PROMPT ---

${message}`;
}

/** A prompt that an agent was about to get, or had just got, when it was ended. */
export function perhapsKnownPrompt(prompt: string): string {
  return `Your program was ended right when you got the prompt below, and has been started again with this conversation. If you have
begun with it, what you did may be half done: look at the working directory first, keep what is right, and finish the rest.

${prompt}`;
}

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
