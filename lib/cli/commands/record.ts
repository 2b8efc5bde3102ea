import { captureScreen } from "../../tmux/capture.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { type RecordingProgress, type RecordingResult, recordPane } from "../../lab/recordings/recorder.ts";
import { createRecordingFile } from "../../lab/recordings/timeline_file.ts";
import { scrub } from "../../base/redact/scrub.ts";
import { classify } from "../../screen/mod.ts";
import { privateWordsOf, secretPatterns } from "../../base/redact/secret_patterns.ts";
import type { TmuxClient } from "../../tmux/client.ts";
import { createTmuxClient } from "../../tmux/plain_client.ts";
import { openSession } from "../../tmux/open_session.ts";
import type { TmuxSession } from "../../tmux/session.ts";
import { canMoveCursor } from "../console/color.ts";
import { type CliIo, defineCommand, Interruption } from "../console/command.ts";
import { LiveLine } from "../console/live_line.ts";
import { planRecording, RECORD_FLAGS, type RecordingPlan } from "../record_plan.ts";
import { loadRulePacks } from "../rule_packs.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { duration, plural } from "../../journal/words/words.ts";
import { present } from "../../base/schema.ts";

export const command = defineCommand({
  arguments: [{ name: "COMMAND", description: "what to start, after --", rest: true, text: true }],
  flags: RECORD_FLAGS,
  async run({ flags, positionals, global }, io) {
    const plan = await planRecording(flags, positionals, io);
    const pack = (await loadRulePacks(flags.config, io))(plan.provider);
    using file = createRecordingFile(plan.path);
    await using target = await openTarget(plan, io);
    if (target.session !== undefined && !global.quiet) {
      io.stderr(`Attach to it from another terminal: ${target.session.attachCommand()}\n`);
    }
    if (!global.quiet) io.stderr(`Recording to ${sanitizeLine(plan.path)}; Ctrl-C ends it.\n`);
    using line = io.isTerminal.stderr && canMoveCursor(io) && !global.quiet ? new LiveLine(io) : undefined;
    const patterns = secretPatterns(privateWordsOf(Deno.env.toObject(), Deno.hostname()));
    const result = await recordPane({
      about: {
        provider: plan.provider,
        startedAtSeconds: Date.now() / 1000,
        ...present({ version: plan.version }),
      },
      capture: () =>
        captureScreen(target.client, { paneId: target.paneId }, {
          joinWrapped: PROVIDERS.find(({ id }) => id === plan.provider)?.terminal?.joinWrappedRows ?? false,
          signal: io.signal,
        }),
      write: (lines) => file.write(lines),
      classify: (screen) => classify(screen, pack),
      scrub: (text, cols) => scrub(text, { patterns, ...present({ cols }) }),
      clock: systemClock,
      signal: io.signal,
      intervalMs: plan.intervalMs,
      ...present({ durationMs: plan.durationMs }),
      onProgress: (progress) => line?.show(progressText(progress)),
    });
    line?.erase();
    report(result, { path: plan.path, json: global.json, quiet: global.quiet, io });
    // Ctrl-C is how a recording is meant to end; another signal is not.
    const reason: unknown = io.signal.reason;
    return reason instanceof Interruption && reason.signalName !== "SIGINT" ? reason.exitCode : 0;
  },
});

interface Target extends AsyncDisposable {
  readonly client: TmuxClient;
  readonly paneId: string;
  readonly session: TmuxSession | undefined;
}

async function openTarget({ target, provider }: RecordingPlan, io: CliIo): Promise<Target> {
  if (target.kind === "pane") {
    const client = createTmuxClient({ socket: target.socket });
    return { client, paneId: target.paneId, session: undefined, async [Symbol.asyncDispose]() {} };
  }
  const { argv, cols, rows } = target;
  const client = createTmuxClient({ socket: `panewright-record-${crypto.randomUUID().slice(0, 8)}` });
  const session = await openSession(client, { name: "record", cols, rows });
  const unregister = io.onForcedExit(() => session.abandon(), session.lastResort());
  const close = async () => {
    await session.close();
    unregister();
  };
  try {
    const { paneId } = await session.openPane({ name: provider, argv, cwd: io.cwd, signal: io.signal });
    return { client, paneId, session, [Symbol.asyncDispose]: close };
  } catch (error) {
    await close();
    throw error;
  }
}

function progressText({ atSeconds, frames, status }: RecordingProgress): string {
  return `${duration(atSeconds)}, ${plural(frames, "frame")}: ${status.status} (${sanitizeLine(status.rule)})`;
}

function report(
  result: RecordingResult,
  { path, json, quiet, io }: {
    readonly path: string;
    readonly json: boolean;
    readonly quiet: boolean;
    readonly io: CliIo;
  },
): void {
  if (json) io.stdout(outputLine("recorded", { file: path, ...result }));
  else io.stdout(`${sanitizeLine(path)}\n`);
  if (!quiet) {
    const how: Readonly<Record<RecordingResult["ended"], string>> = {
      command_ended: "the command ended",
      pane_gone: "the pane is gone",
      duration: "the time is up",
      stopped: "stopped",
    };
    io.stderr(`${plural(result.frames, "frame")} in ${duration(result.seconds)}; ${how[result.ended]}.\n`);
  }
  if (result.distortedFrames > 0) {
    io.stderr(
      `Warning: ${plural(result.distortedFrames, "frame")} would get another status without what was replaced there.\n`,
    );
  }
}
