import { UsageError } from "../../base/errors.ts";
import { mirrorToStarter } from "../../base/ports/mirror.ts";
import { sayFirstLine } from "../../base/ports/detached_process.ts";
import { STARTED_BY } from "../../journal/run_facts.ts";
import { RunBegunError } from "../../run/run_request.ts";
import {
  choiceFlag,
  type CliIo,
  type Command,
  defineCommand,
  type DetachedStart,
  integerFlag,
  switchFlag,
  textFlag,
} from "../console/command.ts";
import { NO_COLORS } from "../console/color.ts";
import { checkPositionals, GLOBAL_FLAGS, parseFlags } from "../console/parse.ts";
import { renderError } from "../console/render_error.ts";
import { openDetachedIo } from "../detached_io.ts";
import { outputLine } from "../../api/output/line.ts";

/** `panewright detached`: what `--detach`, and all that starts runs from outside, calls. */
export const command = defineCommand({
  arguments: [{
    name: "COMMAND",
    description: "run, exec, task, adopt, reply or resume, and what follows it",
    required: true,
    rest: true,
    text: true,
  }],
  flags: {
    by: choiceFlag(STARTED_BY, "from where the run is started"),
    key: textFlag("KEY", "the key of the request"),
    request: textFlag("HASH", "what is requested"),
    "stdin-bytes": integerFlag("N", "how much standard input has"),
    mirrored: switchFlag("write each record to standard output, and go on once standard input has taken it"),
  },
  async run({ flags, positionals: [name = "", ...args] }, given) {
    const { by = "command", key, request: hash } = flags;
    using opened = openDetachedIo(given, { stdinBytes: flags["stdin-bytes"] });
    const { io } = opened;
    let begun = false;
    const detached: DetachedStart = {
      by,
      ...(key === undefined || hash === undefined ? {} : { request: { key, hash } }),
      ...(flags.mirrored === true ? { mirror: mirrorToStarter() } : {}),
      onRecord(record) {
        if (begun || !isBeginning(record)) return;
        begun = true;
        const { runId: run, folder } = record;
        opened.keepIn(`${folder}/detached.log`);
        sayFirstLine(outputLine("run_detached", { run, folder, isNew: true }));
      },
    };
    try {
      return await call(name, args, { ...io, detached });
    } catch (error) {
      if (error instanceof RunBegunError) {
        const { id, path } = error.folder;
        sayFirstLine(outputLine("run_detached", { run: id, folder: path, isNew: false }));
        return 0;
      }
      const reason = io.signal.aborted ? io.signal.reason : error;
      const { text, json, exitCode } = await renderError(reason, { verbose: false });
      if (begun) io.stderr(text);
      else sayFirstLine(outputLine("error", json));
      return exitCode;
    }
  },
});

const EXECUTING: Readonly<Record<string, () => Promise<{ readonly command: Command }>>> = {
  run: () => import("./run.ts"),
  exec: () => import("./exec.ts"),
  task: () => import("./task.ts"),
  adopt: () => import("./adopt.ts"),
  reply: () => import("./reply.ts"),
  resume: () => import("./resume.ts"),
};

async function call(name: string, args: readonly string[], io: CliIo): Promise<number> {
  const load = EXECUTING[name];
  if (load === undefined) throw new UsageError(`Cannot call "${name}" without a terminal`);
  const { command } = await load();
  const { values, positionals } = parseFlags(args, [...(command.flags), ...GLOBAL_FLAGS]);
  checkPositionals(positionals, command.arguments, { command: name });
  const { verbose = false, ...flags } = values;
  const global = { json: false, quiet: false, verbose: verbose === true, color: NO_COLORS };
  return await command.run({ flags: flags as Record<string, never>, positionals, global }, io);
}

function isBeginning(
  record: { readonly type: string },
): record is { readonly type: string; readonly runId: string; readonly folder: string } {
  return record.type === "run_started" || record.type === "run_resumed";
}
