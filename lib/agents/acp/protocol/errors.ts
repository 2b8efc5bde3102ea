import { PanewrightError, type PanewrightErrorOptions } from "../../../base/errors.ts";
import { errorText } from "../../../base/text/error_text.ts";

export type AcpEnd =
  | { readonly kind: "exited"; readonly code: number }
  /** The agent cannot be talked to any more, and was ended; `problem` can follow its name. */
  | { readonly kind: "protocol"; readonly problem: string }
  | { readonly kind: "closed" }
  | { readonly kind: "broken"; readonly error: unknown };

export function describeAcpEnd(end: AcpEnd): string {
  switch (end.kind) {
    case "exited":
      return `its process has ended (exit code ${end.code})`;
    case "protocol":
      return `it ${end.problem}`;
    case "closed":
      return "its connection was closed";
    case "broken":
      return `what it sent could not be dealt with: ${errorText(end.error)}`;
  }
}

export class AcpReplyError extends PanewrightError {
  override name = "AcpReplyError";
  readonly rpcCode: number;
  readonly reason: string;
  readonly words: string | undefined;
  readonly data: unknown;

  constructor(
    message: string,
    { rpcCode, reason, words, data }: {
      readonly rpcCode: number;
      readonly reason: string;
      readonly words?: string;
      readonly data?: unknown;
    },
  ) {
    super(message);
    this.rpcCode = rpcCode;
    this.reason = reason;
    this.words = words;
    this.data = data;
  }
}

export class AcpEndedError extends PanewrightError {
  override name = "AcpEndedError";
  readonly end: AcpEnd;

  constructor(message: string, options: PanewrightErrorOptions & { readonly end: AcpEnd }) {
    super(message, options);
    this.end = options.end;
  }
}

/** An agent could not be started: nothing has happened yet. */
export class AcpStartError extends PanewrightError {
  override name = "AcpStartError";
  override readonly exitCode: number;
  /** `no_program`: there is no such program, or it cannot be executed. */
  readonly problem: "no_program" | "ended" | "silent" | "refused";
  /** Its last lines of standard error, or else of what it printed in place of messages; safe for a terminal. */
  readonly lastLines: readonly string[];

  constructor(
    message: string,
    options: PanewrightErrorOptions & Pick<AcpStartError, "problem" | "lastLines">,
  ) {
    super([message, ...options.lastLines.map((line) => `  ${line}`)].join("\n"), options);
    this.problem = options.problem;
    this.lastLines = options.lastLines;
    this.exitCode = options.problem === "no_program" ? 2 : 1;
  }
}
