import { askedFields } from "../../journal/exec/question.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { condense } from "../../base/text/condense.ts";
import { tokensIn } from "../../base/usage.ts";
import { newIn } from "../../journal/usage.ts";
import { findInterruptedAsks } from "../../agents/process/interrupted_ask.ts";
import { channelFolderOf } from "./agent_request.ts";
import type { Drive } from "./context.ts";
import { attemptFolder } from "./step_folders.ts";
import { ATTEMPT, type ExecState } from "../../journal/exec/state.ts";
import { present } from "../../base/schema.ts";

const MAX_LOG_LINES = 200;

/** What the agent did in an attempt that was under way when its panewright was killed. */
export function readInterruptedLog(folder: RunFolder, state: ExecState): string | undefined {
  const stage = state.current?.step.stage;
  if (stage?.kind !== "running") return undefined;
  return condense(readLog(`${folder.path}/${stage.folder}/log.txt`), { maxLines: MAX_LOG_LINES });
}

/**
 * Counts what the agent of an interrupted attempt has used in all, by its CLI's own record: it may have worked for a
 * while after its panewright was gone.
 */
export async function countInterrupted({ state, plan, record }: Drive): Promise<void> {
  const { current, tokens } = state();
  if (current === undefined) return;
  const { number, stage, sessionId, attemptStartedAt: since } = current.step;
  if (stage.kind !== "ready" || !isBrokenOff(stage.reason)) return;
  const step = plan.pipelines[current.pipeline]?.[number - 1];
  const { sessionUsage } = step?.provider.headless ?? {};
  if (step === undefined || sessionUsage === undefined || sessionId === undefined || since === undefined) return;
  const env = { ...Deno.env.toObject(), ...step.env };
  const usage = await sessionUsage({ sessionId, workdir: plan.workdir, env, since });
  if (usage === undefined) {
    const message = `what the interrupted attempt of step "${step.name}" used at its end is not known: its session's ` +
      "record is not found";
    return record({ type: "warning", message });
  }
  // A record that has lost something gives nothing back.
  const isMore = tokensIn(newIn(tokens, { source: ATTEMPT, usage })) > 0;
  if (isMore) record({ type: "tokens_counted", usage, passable: true });
}

/** Its process has not measured what it used. */
function isBrokenOff(reason: string): boolean {
  return reason === "interrupted" || reason === "handed_back" || reason === "told";
}

/**
 * Records what the agent of an interrupted attempt has asked: its panewright was killed before it could, or it asked when
 * that was gone. The step waits for the answer then, and the agent need not ask again, which it might not do.
 */
export async function hearInterrupted({ state, plan, record, folder, target, wallClock }: Drive): Promise<void> {
  const { current, tokens } = state();
  if (current === undefined) return;
  const { number, stage, round, attempts: attempt, attemptLog, sessionId } = current.step;
  if (stage.kind !== "ready" || stage.reason !== "interrupted") return;
  const step = plan.pipelines[current.pipeline]?.[number - 1];
  if (step === undefined) return;
  const { name, provider, args, model } = step;
  const place = { task: current.number, step: number, attempt };
  const stepFolder = `${folder.stepsDir}/${attemptFolder({ ...place, round, name, target })}`;
  const [text, ...others] = await findInterruptedAsks({
    provider,
    args,
    ...present({ model }),
    stepFolder,
    channelFolder: channelFolderOf(stepFolder),
    commands: plan.settings.askCommands,
  });
  if (text === undefined) return;
  record({
    type: "question_asked",
    ...place,
    ...askedFields([text, ...others], state()),
    stepName: name,
    attemptLog,
    usage: tokens.bySource[ATTEMPT] ?? {},
    // Nobody has measured how long it worked.
    seconds: 0,
    askedAt: wallClock().toISOString(),
    ...present({ sessionId }),
  });
}

function readLog(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_LOG_BYTES });
  } catch {
    return "";
  }
}

/** The most of a log that is read: 256 MiB. A longer one is left out. */
const MAX_LOG_BYTES = 256 * 1024 * 1024;
