import type { Clock } from "../../base/ports/clock.ts";
import { type HttpLines, systemHttpLines } from "../../base/ports/http.ts";
import { present } from "../../base/schema.ts";
import { errorText } from "../../base/text/error_text.ts";
import { type ButtonsFolder, claimOf, noteUsed, openButtonsSince, type Press, readPress } from "./buttons.ts";
import type { MachineSecrets } from "./machine_secrets.ts";
import { readReplies, type Reply } from "./replies.ts";
import type { WayBack } from "./way_back.ts";

interface EarParts {
  readonly folder: ButtonsFolder;
  readonly way: Extract<WayBack, { readonly by: "topic" }>;
  readonly secrets: MachineSecrets;
  /** @throws saying why it is refused */
  readonly giveAnswer: (press: Press) => Promise<unknown>;
  readonly onRefused: (question: string, why: string) => void;
  readonly onProblem: (message: string) => void;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly lines?: HttpLines;
  readonly random?: () => number;
}

const SKEW_MS = 300_000;

const EARLIER_MS = 5000;

export function createEar(parts: EarParts) {
  const { folder, way, secrets, giveAnswer, onRefused, onProblem, clock, wallClock, random } = parts;
  const { lines = systemHttpLines } = parts;
  const closed = new AbortController();
  let hearing: Promise<void> | undefined;

  /** @param quietBefore what was pressed before, and is refused, is not told: that says nothing new */
  async function hear(since: Date, { quietBefore, ...how }: {
    readonly quietBefore: Date;
    readonly signal: AbortSignal;
    readonly isPoll?: boolean;
  }): Promise<void> {
    const options = { plan: way.ntfy, topic: way.topic, lines, clock, onProblem, ...how, ...present({ random }) };
    for await (const reply of readReplies({ ...options, since: new Date(since.getTime() - SKEW_MS) })) {
      await take(reply, reply.seconds * 1000 < quietBefore.getTime() - 1000);
    }
  }

  async function take({ text }: Reply, isOld: boolean): Promise<void> {
    const claim = claimOf(text);
    // All runs of this machine, and whoever knows its name, use the topic.
    if (claim?.run !== folder.id) return;
    try {
      const press = await readPress(folder, text, { key: secrets("buttons.key"), now: wallClock() });
      if ("refused" in press) {
        if (!isOld) onRefused(claim.question, `the button is refused: ${press.refused}`);
        return;
      }
      await giveAnswer(press);
      await noteUsed(folder, text, { now: wallClock() });
    } catch (error) {
      if (!isOld) onRefused(claim.question, errorText(error));
    }
  }

  return {
    listen(): void {
      if (closed.signal.aborted) return;
      const now = wallClock();
      hearing ??= hear(now, { quietBefore: now, signal: closed.signal }).catch(() => {});
    },
    async hearEarlier(quietBefore: Date): Promise<void> {
      const since = await openButtonsSince(folder, { now: wallClock() });
      if (since === undefined) return;
      const over = new AbortController();
      const limit = clock.sleep(EARLIER_MS, over.signal).then(() => over.abort(), () => {});
      try {
        await hear(since, { quietBefore, signal: over.signal, isPoll: true });
      } catch {
        /* it was told, or took too long */
      } finally {
        over.abort();
        await limit;
      }
    },
    async close(): Promise<void> {
      closed.abort();
      await hearing;
    },
  };
}
