import type { Clock } from "../base/ports/clock.ts";
import { errorText } from "../base/text/error_text.ts";
import { RuntimeError } from "../base/errors.ts";
import type { Fleet } from "./connect.ts";
import { isAway, isOvertaken, whenReached } from "./reach.ts";
import { followSubject, type ReadMessage, readSubject } from "./read_subject.ts";
import { type JobEvent, readEvent } from "./job.ts";
import { type JobName, jobText, logSubject, STREAMS } from "./names.ts";

/** Another worker has the job: this one must write no more, and stop its agents. */
export class FencedError extends RuntimeError {
  override name = "FencedError";
}

/** The log of a job, for the one that writes it. */
export interface JobLog {
  readonly events: readonly JobEvent[];
  /**
   * Adds an event, if nobody has added one since this log was read. When it returns, the stream has it. While the server is
   * away, or the stream full, it is tried again.
   *
   * @throws {FencedError} when somebody else has
   * @throws the signal's reason when it is aborted
   */
  append(event: NewEvent, options: { readonly signal: AbortSignal }): Promise<void>;
}

export type NewEvent = JobEvent extends infer Event ? Event extends JobEvent ? Omit<Event, "at"> : never : never;

const RETRY_MS = 250;
/** So long an answer is waited for before it is asked again, under the same id. */
const ANSWER_MS = 2000;

/** Reads the messages of a job's log in their order, and passes over what no worker has written there next. */
function createLogReader({ seals }: Pick<Fleet, "seals">, job: JobName) {
  const subject = logSubject(job);
  /** The stream's sequence of the last event. */
  let valid = 0;
  return {
    valid: () => valid,
    async read(message: Pick<ReadMessage, "seq" | "string">): Promise<JobEvent | undefined> {
      const found = await seals.unseal(message.string(), subject);
      if (found === undefined || (found.rights !== "worker" && found.rights !== "admin")) return undefined;
      try {
        const { after, event } = readEvent(found.text);
        // An event that is there a second time does not follow the last one.
        if (after !== valid) return undefined;
        valid = message.seq;
        return event;
      } catch (cause) {
        throw new RuntimeError(`Cannot read the log of job ${jobText(job)}: ${errorText(cause)}`, { cause });
      }
    },
  };
}

/** What has happened to a job until now, the first event first. */
export async function readLog(fleet: Pick<Fleet, "manager" | "seals">, job: JobName): Promise<readonly JobEvent[]> {
  const reader = createLogReader(fleet, job);
  const events: JobEvent[] = [];
  for await (const message of readSubject(fleet, { stream: STREAMS.log, subject: logSubject(job), after: 0 })) {
    const event = await reader.read(message);
    if (event !== undefined) events.push(event);
  }
  return events;
}

/** What has happened to a job, the first event first, and then what happens to it, until the signal comes. */
export async function* followJobLog(
  fleet: Pick<Fleet, "streams" | "seals">,
  job: JobName,
  { signal }: { readonly signal: AbortSignal },
): AsyncGenerator<JobEvent> {
  const reader = createLogReader(fleet, job);
  const asked = { stream: STREAMS.log, subject: logSubject(job), after: 0, signal };
  for await (const message of followSubject(fleet, asked)) {
    const event = await reader.read(message);
    if (event !== undefined) yield event;
  }
}

export async function openJobLog(
  fleet: Pick<Fleet, "manager" | "streams" | "seals">,
  { job, writer, clock, wallClock = () => new Date(), onWait = () => {} }: {
    readonly job: JobName;
    /** What nobody else's messages are named by. */
    readonly writer: string;
    readonly clock: Clock;
    readonly wallClock?: () => Date;
    /** Told, once for each event, why the stream does not take it yet. */
    readonly onWait?: (reason: string) => void;
  },
): Promise<JobLog> {
  const subject = logSubject(job);
  const reader = createLogReader(fleet, job);
  const events: JobEvent[] = [];
  let last = 0;
  /** @returns whether another worker has written since */
  const catchUp = async (): Promise<boolean> => {
    const before = events.length;
    for await (const message of readSubject(fleet, { stream: STREAMS.log, subject, after: last })) {
      last = message.seq;
      const event = await reader.read(message);
      if (event !== undefined) events.push(event);
    }
    return events.length > before;
  };
  await catchUp();
  let count = 0;
  return {
    events,
    async append(event, { signal }) {
      const text = JSON.stringify({ at: wallClock().toISOString(), after: reader.valid(), ...event });
      const data = await fleet.seals.seal(text, subject);
      // The same id for each try: what the server has taken without our hearing of it is not taken twice.
      const msgID = `${writer}.${++count}`;
      for (let tries = 1;; tries++) {
        signal.throwIfAborted();
        try {
          const expect = { lastSubjectSequence: last };
          const { seq } = await fleet.streams.publish(subject, data, { msgID, expect, timeout: ANSWER_MS });
          last = seq;
          const kept = await reader.read({ seq, string: () => data });
          if (kept !== undefined) events.push(kept);
          return;
        } catch (cause) {
          if (isOvertaken(cause)) {
            const isTaken = await whenReached(catchUp, { clock, signal });
            // What no worker has written there is no reason to stop.
            if (!isTaken) continue;
            throw new FencedError(`Cannot write the log of job ${jobText(job)}: another worker has taken it`, {
              cause,
            });
          }
          if (!isAway(cause)) {
            throw new RuntimeError(`Cannot write the log of job ${jobText(job)}: ${errorText(cause)}`, { cause });
          }
          if (tries === 1) onWait(errorText(cause));
        }
        await clock.sleep(RETRY_MS, signal);
      }
    },
  };
}
