import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import type { ActContext } from "../../api/operations/context.ts";
import { serveStdio } from "../../api/mcp/serve_stdio.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { standardStreams } from "../../base/ports/standard_streams.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type CliIo, defineCommand, textFlag } from "../console/command.ts";
import { createSecretLearner } from "../run_secrets.ts";
import { requireTrustOfRun } from "../trust.ts";

export const command = defineCommand({
  flags: {
    wd: textFlag(
      "DIR",
      "a project's folder, if it is not this one; may be given several times. No other folders are served",
      { repeatable: true },
    ),
  },
  async run({ flags }, io) {
    if (io.isTerminal.stdin) {
      throw new UsageError("Cannot serve a terminal: an agent's CLI starts this command, and talks to it", {
        hint: "For example: claude mcp add panewright -- panewright mcp, or in the config.toml of Codex:\n" +
          '[mcp_servers.panewright]\ncommand = "panewright"\nargs = ["mcp"]',
      });
    }
    const workdirs = await Promise.all((flags.wd ?? ["."]).map((folder) => realFolder(folder, io)));
    const redactor = redactorOf();
    const warn = (message: string) => io.stderr(`panewright: ${sanitizeLine(message)}\n`);
    const context: ActContext = {
      workdirs,
      redactor,
      meetRun: createSecretLearner({ io, redactor, clock: systemClock, warn }),
      requireTrust: (configFile) => requireTrustOfRun(configFile, { io, trust: false, mayAsk: false }),
      clock: systemClock,
    };
    await serveStdio(context, { streams: standardStreams(), signal: io.signal });
    return 0;
  },
});

async function realFolder(folder: string, io: CliIo): Promise<string> {
  try {
    const path = await Deno.realPath(resolve(io.cwd, folder));
    if ((await Deno.stat(path)).isDirectory) return path;
  } catch (cause) {
    const why = cause instanceof Deno.errors.NotFound ? "there is no such folder" : errorText(cause);
    throw new UsageError(`Cannot work in ${folder}: ${why}`, { cause });
  }
  throw new UsageError(`Cannot work in ${folder}: it is not a folder`);
}
