import { JetStreamApiError } from "@nats-io/jetstream";
import type { Clock } from "../base/ports/clock.ts";
import { errorText } from "../base/text/error_text.ts";
import { RuntimeError } from "../base/errors.ts";
import type { Fleet } from "./connect.ts";
import { readSubject } from "./read_subject.ts";
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
   * away, it is tried again.
   *
   * @throws {FencedError} when somebody else has
   * @throws the signal's reason when it is aborted
   */
  append(event: NewEvent, options: { readonly signal: AbortSignal }): Promise<void>;
}

export type NewEvent = JobEvent extends infer Event ? Event extends JobEvent ? Omit<Event, "at"> : never : never;

const RETRY_MS = 250;
/** JetStream's code for a message whose subject has another last sequence than it names. */
const WRONG_LAST_SEQUENCE = 10071;
/** So long an answer is waited for before it is asked again, under the same id. */
const ANSWER_MS = 2000;

/** The events of a job so far, and the stream's sequence of the last one. */
export async function readLog(
  fleet: Pick<Fleet, "streams">,
  job: JobName,
): Promise<{ readonly events: readonly JobEvent[]; readonly last: number }> {
  const events: JobEvent[] = [];
  let last = 0;
  for await (const message of readSubject(fleet, { stream: STREAMS.log, subject: logSubject(job), after: 0 })) {
    try {
      events.push(readEvent(message.string()));
    } catch (cause) {
      throw new RuntimeError(`Cannot read the log of job ${jobText(job)}: ${errorText(cause)}`, { cause });
    }
    last = message.seq;
  }
  return { events, last };
}

/**
 * What has happened to a job, the first event first.
 *
 * @param options.follow whether it goes on as things happen, until the signal comes
 */
export async function* followJobLog(
  fleet: Pick<Fleet, "streams">,
  job: JobName,
  { follow, signal }: { readonly follow: boolean; readonly signal: AbortSignal },
): AsyncGenerator<JobEvent> {
  const asked = { stream: STREAMS.log, subject: logSubject(job), after: 0, follow: follow ? signal : undefined };
  for await (const message of readSubject(fleet, asked)) yield readEvent(message.string());
}

export async function openJobLog(
  fleet: Fleet,
  { job, writer, clock, wallClock = () => new Date() }: {
    readonly job: JobName;
    /** What nobody else's messages are named by. */
    readonly writer: string;
    readonly clock: Clock;
    readonly wallClock?: () => Date;
  },
): Promise<JobLog> {
  const { events, last: read } = await readLog(fleet, job);
  const all = [...events];
  const subject = logSubject(job);
  let last = read;
  let count = 0;
  return {
    events: all,
    async append(event, { signal }) {
      const kept = { at: wallClock().toISOString(), ...event } as JobEvent;
      const data = JSON.stringify(kept);
      // The same id for each try: what the server has taken without our hearing of it is not taken twice.
      const msgID = `${writer}.${++count}`;
      for (;;) {
        signal.throwIfAborted();
        try {
          const expect = { lastSubjectSequence: last };
          last = (await fleet.streams.publish(subject, data, { msgID, expect, timeout: ANSWER_MS })).seq;
          all.push(kept);
          return;
        } catch (cause) {
          if (cause instanceof JetStreamApiError && cause.code === WRONG_LAST_SEQUENCE) {
            throw new FencedError(`Cannot write the log of job ${jobText(job)}: another worker has taken it`, {
              cause,
            });
          }
          if (cause instanceof JetStreamApiError) {
            throw new RuntimeError(`Cannot write the log of job ${jobText(job)}: ${errorText(cause)}`, { cause });
          }
        }
        await clock.sleep(RETRY_MS, signal);
      }
    },
  };
}
