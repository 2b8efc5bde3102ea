import { sanitizeLine } from "../../../base/text/sanitize.ts";

/** What may be wrong with what an agent sends, in words that can follow its name. None of it ends a connection. */
const ACP_TROUBLES = {
  preamble: "prints text before its first message",
  garbage: "prints text between its messages",
  too_long: "sent a line that is too long, which was dropped",
  too_deep: "sent a message that nests too deep, which was dropped",
  not_utf8: "sent a line that is not UTF-8",
  not_a_message: "sent JSON that is not a message",
  unknown_update: "sent an update of an unknown kind",
  malformed_update: "sent an update that is not as the protocol has it",
  unknown_notification: "sent a notification that is not known",
  refused_request: "asked for what was not offered, which was refused",
  malformed_request: "sent a request that is not as the protocol has it, which was refused",
  reused_id: "sent a second request with the id of one that waits, which was dropped",
  too_many_requests: "has too many requests that wait, so another one was refused",
  second_reply: "replied to one request twice; the second reply was dropped",
  stray_reply: "replied to a request that there was not",
  refused_message: "did not understand a message of ours",
} as const;

export type AcpTroubleKind = keyof typeof ACP_TROUBLES;

export interface AcpTrouble {
  readonly kind: AcpTroubleKind;
  readonly text: string;
}

const EXAMPLE_CHARACTERS = 160;

/** Counts what is wrong, and tells each kind once. */
export class TroubleCounter {
  readonly #counts = new Map<AcpTroubleKind, number>();

  constructor(readonly tell: (trouble: AcpTrouble) => void) {}

  add(kind: AcpTroubleKind, example: string): void {
    const count = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, count + 1);
    if (count > 0) return;
    const shown = sanitizeLine(example.slice(0, EXAMPLE_CHARACTERS).toWellFormed());
    const rest = example.length > EXAMPLE_CHARACTERS ? "…" : "";
    this.tell({ kind, text: `${ACP_TROUBLES[kind]}: ${shown}${rest}` });
  }

  counts(): Readonly<Partial<Record<AcpTroubleKind, number>>> {
    return Object.fromEntries(this.#counts);
  }
}
