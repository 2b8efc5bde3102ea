import { PanewrightError } from "../../errors.ts";
import { hintOfWriteError } from "../../ports/file_errors.ts";
import { Interruption } from "./command.ts";
import { errorText } from "../../text/error_text.ts";
import { sanitizeText } from "../../text/sanitize.ts";

/** An error as the command line shows it. */
export interface RenderedError {
  /** Lines for stderr, with a newline at the end. */
  readonly text: string;
  /** The object that `--json` writes on stdout. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly exitCode: number;
}

/**
 * What a person sees of an error: its message and hint, what to do if a file cannot be written, and with `verbose` the
 * stack and the causes.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { UsageError } from "../../errors.ts";
 * const error = new UsageError("Cannot read x: no such file", { hint: "Create it." });
 * assertEquals(renderError(error, { verbose: false }).text, "panewright: Cannot read x: no such file\n  Create it.\n");
 * ```
 */
export function renderError(error: unknown, options: { readonly verbose: boolean }): RenderedError {
  const { message, hint, exitCode } = describe(error);
  if (error instanceof Interruption && error.signalName === "SIGPIPE") return { text: "", json: {}, exitCode };
  const parts = [`panewright: ${message}`];
  if (hint !== undefined) parts.push(indent(hint));
  if (options.verbose && !(error instanceof Interruption)) parts.push(indent(details(error)));
  return {
    text: `${sanitizeText(parts.join("\n"))}\n`,
    json: { type: "error", message, ...(hint === undefined ? {} : { hint }), exitCode },
    exitCode,
  };
}

function describe(error: unknown): { message: string; hint: string | undefined; exitCode: number } {
  const fileHint = hintOfWriteError(error);
  if (error instanceof PanewrightError) {
    const hints = [fileHint, error.hint].filter((hint) => hint !== undefined);
    return {
      message: error.message,
      hint: hints.length === 0 ? undefined : hints.join("\n"),
      exitCode: error.exitCode,
    };
  }
  if (error instanceof Interruption) return { message: error.message, hint: undefined, exitCode: error.exitCode };
  const message = errorText(error);
  return {
    message: `Cannot continue: ${message}`,
    hint: fileHint ?? "This was not foreseen: please report it, with the output of --verbose.",
    exitCode: 1,
  };
}

function details(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; current !== undefined && depth < 8; depth++) {
    const text = current instanceof Error ? current.stack ?? current.message : String(current);
    parts.push(depth === 0 ? text : `caused by ${text}`);
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join("\n");
}

function indent(text: string): string {
  return text.split("\n").map((line) => `  ${line}`).join("\n");
}
