import type { Fleet } from "./connect.ts";
import { findWrongField, isObject, oneOf, optional, text, type ValuesOf } from "../base/schema.ts";
import { readSubject } from "./read_subject.ts";
import { type JobName, saidSubject, STREAMS } from "./names.ts";

const FIELDS = {
  what: oneOf("answer", "stop", "retry", "drain"),
  /** An answer's text. */
  text: optional(text),
  /** The question that is answered. */
  question: optional(text),
};

/** What a person says to a job or a worker. */
export type Said = ValuesOf<typeof FIELDS>;

export interface Heard {
  readonly said: Said;
  /** Who says it, as the server knows them. */
  readonly by: string;
  readonly sequence: number;
}

/** Says something to a job or a worker; the sequence of it. */
export async function say(
  { streams, credentials }: Pick<Fleet, "streams" | "credentials">,
  to: Parameters<typeof saidSubject>[0],
  said: Said,
): Promise<number> {
  return (await streams.publish(saidSubject(to, credentials.name), JSON.stringify(said))).seq;
}

/** What was said to a job after a sequence. What is not to be understood is passed over. */
export async function readSaid(
  fleet: Pick<Fleet, "streams">,
  job: JobName,
  { after }: { readonly after: number },
): Promise<readonly Heard[]> {
  const found: Heard[] = [];
  for await (const message of readSubject(fleet, { stream: STREAMS.said, subject: saidSubject(job, "*"), after })) {
    const said = understood(message.string());
    if (said !== undefined) found.push({ said, by: byOf(message.subject), sequence: message.seq });
  }
  return found;
}

/** Hears what is said from now on, until the signal comes. */
export async function hear(
  fleet: Pick<Fleet, "streams">,
  to: Parameters<typeof saidSubject>[0],
  { after, signal, onSaid }: {
    /** The sequence after which it begins; `undefined`: whatever comes from now on. */
    readonly after: number | undefined;
    readonly signal: AbortSignal;
    readonly onSaid: (heard: Heard) => Promise<void>;
  },
): Promise<void> {
  const heard = readSubject(fleet, { stream: STREAMS.said, subject: saidSubject(to, "*"), after, follow: signal });
  for await (const message of heard) {
    const said = understood(message.string());
    if (said !== undefined) await onSaid({ said, by: byOf(message.subject), sequence: message.seq });
  }
}

function byOf(subject: string): string {
  return subject.split(".")[2] ?? "";
}

function understood(data: string): Said | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isObject(value) && findWrongField(value, FIELDS) === undefined ? value as Said : undefined;
  } catch {
    return undefined;
  }
}
