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

  constructor(
    message: string,
    readonly reply: {
      readonly rpcCode: number;
      readonly reason: string;
      readonly words?: string;
      readonly data?: unknown;
    },
  ) {
    super(message);
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
  /** `no_program`: there is no such program, or it cannot be executed. */
  readonly problem: "no_program" | "ended" | "silent" | "refused";

  constructor(message: string, options: PanewrightErrorOptions & Pick<AcpStartError, "problem">) {
    super(message, options);
    this.problem = options.problem;
  }
}
