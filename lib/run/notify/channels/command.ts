import type { ProcessRunner } from "../../../base/ports/process.ts";
import type { Argv } from "../../../base/settings.ts";
import type { Channel } from "./channel.ts";
import { payloadOf } from "./payload.ts";
import { runToSuccess } from "./run_to_success.ts";

const DAY_MS = 24 * 3600 * 1000;

/** Gives each message to a program, as JSON on its standard input; exit code 0 says that it was taken. */
export function commandChannel(
  argv: Argv,
  { run, workdir }: { readonly run: ProcessRunner; readonly workdir: string },
): Channel {
  return {
    id: "command",
    where: argv[0],
    maxAgeMs: 3 * DAY_MS,
    hasButtons: true,
    async deliver(delivery, { timeoutMs }) {
      const stdin = `${JSON.stringify(payloadOf(delivery))}\n`;
      await runToSuccess({ argv, cwd: workdir, stdin, timeoutMs }, run);
    },
  };
}
