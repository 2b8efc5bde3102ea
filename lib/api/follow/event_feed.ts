import { OUTPUT_VERSION } from "../output/line.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { followJournal } from "../../journal/follow_journal.ts";
import { aborted, eventFrame, type EventStream } from "./event_stream.ts";
import type { HubEvent, RunHub } from "./run_hub.ts";
import { present } from "../../base/schema.ts";

/**
 * A run's journal as events: a record is a message whose id is its sequence, `gap` tells of sequences that do not hold
 * or cannot be read, `state` whether a process executes the run.
 */
export interface EventFeed {
  /**
   * Sends what comes after a sequence, and then, unless `follow` is false, what happens, until either side has gone.
   */
  send(stream: EventStream, options: { readonly after: number; readonly follow: boolean }): Promise<void>;
}

interface Follower {
  readonly stream: EventStream;
  at: number;
}

const RECORDS_AT_ONCE = 200;

export function createEventFeed(hub: RunHub, redactor: Redactor): EventFeed {
  const followers = new Set<Follower>();
  hub.listen((event) => {
    if (followers.size === 0) return;
    const frame = frameOf(event, redactor);
    for (const follower of followers) {
      if (event.kind === "record" && event.sequence <= follower.at) continue;
      follower.at = sequenceAfter(event, follower.at);
      follower.stream.send(frame);
    }
  });

  async function catchUp(stream: EventStream, after: number): Promise<number> {
    let at = after;
    let records = 0;
    // A run that is removed meanwhile never gets as far as the hub was.
    const signal = AbortSignal.any([stream.signal, hub.signal]);
    for await (const entry of followJournal(hub.folder, { jobs: JOBS, after, signal })) {
      if (entry.kind === "pause") {
        if (entry.sequence >= hub.sequence) break;
        continue;
      }
      stream.send(frameOf(entry, redactor));
      at = sequenceAfter(entry, at);
      await stream.drained();
      if (++records % RECORDS_AT_ONCE === 0) await new Promise((resolve) => setTimeout(resolve));
    }
    return at;
  }

  return {
    async send(stream, { after, follow }) {
      await hub.ready;
      let at = after;
      do at = await catchUp(stream, at); while (at !== hub.sequence);
      stream.send(frameOf({ kind: "state", sequence: at, executed: hub.executed }, redactor));
      if (!follow) return;
      const follower = { stream, at };
      followers.add(follower);
      try {
        await aborted(AbortSignal.any([stream.signal, hub.signal]));
      } finally {
        followers.delete(follower);
      }
    },
  };
}

function sequenceAfter(event: HubEvent, before: number): number {
  switch (event.kind) {
    case "record":
      return event.sequence;
    case "gap":
      return Math.min(before, event.from - 1);
    case "state":
      return before;
  }
}

function frameOf(event: HubEvent, redactor: Redactor): Uint8Array<ArrayBuffer> {
  switch (event.kind) {
    case "record": {
      const { type, ...fields } = event.record;
      return eventFrame({ id: event.sequence, data: { type, v: OUTPUT_VERSION, ...redactor.value(fields) } });
    }
    case "gap": {
      const { why, from, to, problem } = event;
      const detail = problem === undefined ? {} : { detail: redactor.text(problem.message) };
      // What takes the place of the missing ones has their sequences: a client must not come back with a later id.
      return eventFrame({
        id: from - 1,
        event: "gap",
        data: { why, from, ...present({ to }), ...detail },
      });
    }
    case "state":
      return eventFrame({ event: "state", data: { sequence: event.sequence, executed: event.executed } });
  }
}
