import { PanewrightError } from "../../base/errors.ts";
import { hintOfWriteError } from "../../base/ports/file_errors.ts";
import { Interruption } from "./command.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import { paint } from "./color.ts";
import { present } from "../../base/schema.ts";

interface RenderedError {
  readonly text: string;
  readonly json: OutputFields["error"];
  readonly exitCode: number;
}

export interface RenderErrorOptions {
  readonly verbose: boolean;
  readonly color?: boolean;
  readonly columns?: number;
}

/**
 * What a person sees of an error: its message with the rows of files that it is about, its hint, what to do if a file
 * cannot be written, and with `verbose` the stack and the causes.
 */
export async function renderError(error: unknown, options: RenderErrorOptions): Promise<RenderedError> {
  const { verbose, color = false } = options;
  const { message, hint, exitCode } = describe(error);
  if (error instanceof Interruption && error.signalName === "SIGPIPE") {
    return { text: "", json: { message, exitCode }, exitCode };
  }
  const isInterruption = error instanceof Interruption;
  const code = error instanceof PanewrightError ? error.code : undefined;
  const head = paint("panewright:", isInterruption ? "caution" : "error", color);
  const parts = [`${head} ${await shownMessage(error, message, options)}`];
  if (hint !== undefined) parts.push(sanitizeText(indent(hint)));
  if (verbose && !isInterruption) parts.push(sanitizeText(indent(details(error))));
  return {
    text: `${parts.join("\n")}\n`,
    json: { message, ...present({ hint }), exitCode, ...present({ code }) },
    exitCode,
  };
}

async function shownMessage(error: unknown, message: string, options: RenderErrorOptions): Promise<string> {
  const mistakes = error instanceof PanewrightError ? error.mistakes : [];
  if (mistakes.length === 0) return sanitizeText(message);
  const { color = false, columns = 80 } = options;
  // It needs the widths of characters, which take time to load.
  const { excerptLines } = await import("./excerpt.ts");
  return message.split("\n").flatMap((row) => {
    const excerpt = mistakes.find(({ text }) => text === row)?.excerpt;
    const shown = sanitizeText(row);
    return excerpt === undefined ? [shown] : [shown, ...excerptLines(excerpt, { color, columns })];
  }).join("\n");
}

function describe(error: unknown): { message: string; hint: string | undefined; exitCode: number } {
  const fileHint = hintOfWriteError(error);
  if (error instanceof PanewrightError) {
    // The message of another process, and that of several findings, tell it already.
    const hints = [fileHint, error.hint].filter((hint) => hint !== undefined && !error.message.includes(hint));
    return {
      message: error.message,
      hint: hints.length === 0 ? undefined : hints.join("\n"),
      exitCode: error.exitCode,
    };
  }
  if (error instanceof Interruption) return { message: error.message, hint: undefined, exitCode: error.exitCode };
  const message = errorText(error);
  if (isOfPath(error)) return { message: `Cannot continue: ${message}`, hint: "Name another path.", exitCode: 2 };
  return {
    message: `Cannot continue: ${message}`,
    hint: fileHint ?? "This error is unexpected: please report it, with the output of --verbose.",
    exitCode: 1,
  };
}

/** Whether a path cannot be one: too long, below a file, a loop of links, or of the system (see {@linkcode errorText}). */
function isOfPath(error: unknown): boolean {
  return error instanceof Error && /\(os error (?:20|36|40)\)|^Requires all access to "/.test(error.message);
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
