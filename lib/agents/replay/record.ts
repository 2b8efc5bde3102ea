import type { Request } from "../../policy/request.ts";
import { arrayOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import { ageOf, type RecordedFailure, type StatusSource, type StatusSourceContext } from "../pane/status_source.ts";

const EVIDENCE = "the failed turn in its record";

export const RECORD_VARIABLE = "PANEWRIGHT_REPLAY_RECORD";

/** What a replayed agent says of itself: which command waits, and how its last turn failed. All else is its screen's. */
export function openReplayRecord(
  { env, workdir, clock }: Pick<StatusSourceContext, "env" | "workdir" | "clock">,
): StatusSource {
  const path = env[RECORD_VARIABLE];
  const readRecord = async () =>
    path === undefined ? {} : objectOf(parseJsonObject(await Deno.readTextFile(path).catch(() => "")));
  const lastFailure = async (): Promise<RecordedFailure | undefined> => {
    const failed = objectOf((await readRecord())["failed"]);
    const text = textOf(failed["text"]);
    if (text === undefined) return undefined;
    return { text, evidence: EVIDENCE, writtenAt: Date.parse(textOf(failed["at"]) ?? ""), endsTurn: true };
  };
  return {
    name: "record",
    sessionId: undefined,
    async read() {
      const failure = await lastFailure();
      if (failure === undefined) return undefined;
      const sinceMs = clock.now() - ageOf(failure.writtenAt);
      return { state: "at_rest", outcome: "error", sinceMs, newsMs: sinceMs, evidence: EVIDENCE };
    },
    lastFailure,
    expectPrompt: () => {},
    doubt: () => {},
    lastAnswer: () => Promise.resolve(undefined),
    async pendingRequests() {
      return arrayOf((await readRecord())["pending"]).flatMap((command, index): Request[] => {
        const subject = textOf(command);
        const about = { id: `call-${index + 1}`, source: "session_log", cwd: workdir, tool: "run" } as const;
        return subject === undefined ? [] : [{ ...about, kind: "command", subject }];
      });
    },
    [Symbol.dispose]: () => {},
  };
}
