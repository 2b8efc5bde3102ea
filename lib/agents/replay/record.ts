import type { Request } from "../../policy/request.ts";
import { arrayOf, objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";
import type { StatusSource, StatusSourceContext } from "../pane/status_source.ts";

export const RECORD_VARIABLE = "PANEWRIGHT_REPLAY_RECORD";

export function openReplayRecord({ env, workdir }: Pick<StatusSourceContext, "env" | "workdir">): StatusSource {
  const path = env[RECORD_VARIABLE];
  return {
    name: "record",
    sessionId: undefined,
    read: () => Promise.resolve(undefined),
    expectPrompt: () => {},
    doubt: () => {},
    lastAnswer: () => Promise.resolve(undefined),
    async pendingRequests() {
      if (path === undefined) return [];
      const record = objectOf(parseJsonObject(await Deno.readTextFile(path).catch(() => "")));
      return arrayOf(record["pending"]).flatMap((command, index): Request[] => {
        const subject = textOf(command);
        const about = { id: `call-${index + 1}`, source: "session_log", cwd: workdir, tool: "run" } as const;
        return subject === undefined ? [] : [{ ...about, kind: "command", subject }];
      });
    },
    [Symbol.dispose]: () => {},
  };
}
