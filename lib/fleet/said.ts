import type { Fleet } from "./connect.ts";
import { findWrongField, flag, integer, isObject, oneOf, optional, text, type ValuesOf } from "../base/schema.ts";
import type { Clock } from "../base/ports/clock.ts";
import { whenReached } from "./reach.ts";
import { followSubject, type ReadMessage, readSubject } from "./read_subject.ts";
import { type JobName, type Rights, saidSubject, STREAMS } from "./names.ts";

const FIELDS = {
  what: oneOf("answer", "stop", "retry", "drain"),
  /** An answer's text. */
  text: optional(text),
  /** The question that is answered. */
  question: optional(text),
  /** Whether a model gives the answer, for who says it. @default {false} */
  isModels: optional(flag),
  /** How often the job had been taken when it was said: said once more, later, it means nothing. */
  epoch: integer,
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
  { streams, credentials, seals }: Pick<Fleet, "streams" | "credentials" | "seals">,
  to: Parameters<typeof saidSubject>[0],
  said: Said,
): Promise<number> {
  const subject = saidSubject(to, credentials.name);
  return (await streams.publish(subject, await seals.seal(JSON.stringify(said), subject))).seq;
}

/** What was said to a job after a sequence. What is not to be understood, or was said by nobody, is passed over. */
export async function readSaid(
  fleet: Pick<Fleet, "manager" | "seals">,
  job: JobName,
  { after }: { readonly after: number },
): Promise<readonly Heard[]> {
  const found: Heard[] = [];
  for await (const message of readSubject(fleet, { stream: STREAMS.said, subject: saidSubject(job, "*"), after })) {
    const heard = await understood(fleet, message);
    if (heard !== undefined) found.push(heard);
  }
  return found;
}

/** Hears what is said, until the signal comes. */
export async function hear(
  fleet: Pick<Fleet, "streams" | "seals">,
  to: Parameters<typeof saidSubject>[0],
  { after, clock, signal, onSaid }: {
    /** The sequence after which it begins. */
    readonly after: number;
    readonly clock: Clock;
    readonly signal: AbortSignal;
    readonly onSaid: (heard: Heard) => Promise<void>;
  },
): Promise<void> {
  let last = after;
  const listen = async () => {
    const asked = { stream: STREAMS.said, subject: saidSubject(to, "*"), after: last, signal };
    for await (const message of followSubject(fleet, asked)) {
      last = message.seq;
      const heard = await understood(fleet, message);
      if (heard !== undefined) await onSaid(heard);
    }
  };
  await whenReached(listen, { clock, signal }).catch((error) => {
    if (!signal.aborted) throw error;
  });
}

async function understood({ seals }: Pick<Fleet, "seals">, message: ReadMessage): Promise<Heard | undefined> {
  const found = await seals.unseal(message.string(), message.subject);
  const [, , by = ""] = message.subject.split(".");
  if (found === undefined || found.by !== by || !maySay(found.rights)) return undefined;
  try {
    const said: unknown = JSON.parse(found.text);
    if (!isObject(said) || findWrongField(said, FIELDS) !== undefined) return undefined;
    return { said: said as Said, by, sequence: message.seq };
  } catch {
    return undefined;
  }
}

export function maySay(rights: Rights): boolean {
  return rights === "submitter" || rights === "admin";
}
