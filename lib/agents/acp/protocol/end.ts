import { errorText } from "../../../base/text/error_text.ts";

/** How a connection ended. */
export type AcpEnd =
  /** The agent's process ended by itself; 128 + n after a signal. */
  | { readonly kind: "exited"; readonly code: number }
  /** The agent cannot be talked to any more, and was ended; `problem` can follow its name. */
  | { readonly kind: "protocol"; readonly problem: string }
  /** We ended it. */
  | { readonly kind: "closed" }
  /** A handler of ours has thrown, and the agent was ended. */
  | { readonly kind: "broken"; readonly error: unknown };

/** How a connection ended, in words that can follow "it", and end no sentence. */
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
