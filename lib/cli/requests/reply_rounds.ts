import { outputLine } from "../../api/output/line.ts";
import { RuntimeError, UsageError } from "../../base/errors.ts";
import { type Clock, systemClock } from "../../base/ports/clock.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { errorText } from "../../base/text/error_text.ts";
import { deliveredTip } from "../../workspace/deliver.ts";
import { keepResult } from "../../workspace/result.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { type Feedback, feedbackText, since } from "./feedback.ts";
import { findForge, type ForgeOptions } from "./forge.ts";
import { readPullRequest } from "./github.ts";
import { readMergeRequest } from "./gitlab.ts";
import { openPullRequest } from "./pull_request.ts";

interface Rounds {
  readonly io: CliIo;
  readonly global: GlobalFlags;
  readonly remote: string;
  readonly branch: string;
  /** What the person says besides, in the first round. */
  readonly text: string;
  /** How many at most. */
  readonly rounds: number;
  /** Has an agent work once more: the exit code. */
  readonly reply: (text: string) => Promise<number>;
  /** When the newest run in the workspace began: ISO 8601. */
  readonly lastRunAt: () => Promise<string>;
  /** @default {systemClock} */
  readonly clock?: Clock;
}

const LOOK_EVERY_MS = 30_000;
/** Two hours: a forge that never says how a check has ended ends nothing by itself. */
const MOST_LOOKS = 240;
const LOOKS_FOR_BEGIN = 10;

/**
 * Has rounds of work done by what is said of a request and how its checks end, and pushes what has passed, until nothing is
 * left to do, or the rounds are used up.
 *
 * @returns 0 where nothing is left; 1 where something is; else the exit code of a round
 */
export async function replyRounds(workspace: Workspace, given: Rounds): Promise<number> {
  const { branch, global, io, lastRunAt, remote, reply, rounds } = given;
  const [{ name }, { signal }] = [workspace, io];
  const on: ForgeOptions = { branch, remote, signal, env: io.env };
  if (await deliveredTip(workspace, { branch, signal }) === undefined) {
    throw new UsageError(`Cannot hear what is said of ${name}: it has no request that panewright has opened`, {
      hint: `Open one: panewright pr ${name}`,
    });
  }
  const tell = (text: string) => global.quiet || global.json ? undefined : io.stderr(`${text}\n`);
  let checks = 0;
  for (let round = 1;; round++) {
    const feedback = await settled(workspace, { ...given, before: checks, on, tell });
    checks = feedback.checks;
    const url = sanitizeLine(feedback.url);
    const text = feedbackText(since(feedback, await lastRunAt()), round === 1 ? given.text : "");
    if (text === undefined) {
      tell(`Nothing is left to do of ${url}: no check fails, and nobody who may write says anything new.`);
      return 0;
    }
    if (round > rounds) {
      const done = rounds === 1 ? "one round is" : `${rounds} rounds are`;
      tell(`Something is left to do of ${url}, and ${done} done.`);
      return 1;
    }
    const code = await reply(text);
    if (code !== 0) return code;
    const result = await keepResult(workspace, { signal });
    const { url: pushed } = await openPullRequest(workspace, result, { ...on, draft: false });
    tell(`pushed: ${sanitizeLine(pushed)}`);
    if (global.json) io.stdout(outputLine("workspace_delivered", { name, branch, remote, url: pushed }));
    if (rounds === 1) return 0;
  }
}

/** What is said once all checks have come to an end. */
async function settled(
  workspace: Workspace,
  { before, clock = systemClock, io: { signal }, on, rounds, tell }: Rounds & {
    /** How many checks there were for what was pushed before. */
    readonly before: number;
    readonly on: ForgeOptions;
    readonly tell: (text: string) => void;
  },
): Promise<Feedback> {
  for (let look = 1;; look++) {
    const feedback = await readFeedback(workspace, on);
    // A forge begins the checks of what was pushed a moment later.
    const areBegun = feedback.checks > 0 || before === 0 || look > LOOKS_FOR_BEGIN;
    // One round is by what there is now.
    if (rounds === 1 || feedback.pending === 0 && areBegun) return feedback;
    if (look === MOST_LOOKS) throw new RuntimeError(`Cannot go on: checks of ${feedback.url} do not end`);
    if (look === 1) tell(`waits for checks of ${sanitizeLine(feedback.url)}`);
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

async function readFeedback(workspace: Workspace, on: ForgeOptions): Promise<Feedback> {
  const forge = await findForge(workspace, on);
  const read = forge.kind === "gh" ? readPullRequest : readMergeRequest;
  return await read(forge, on.branch).catch((cause) => {
    if (cause instanceof RuntimeError) throw cause;
    throw new RuntimeError(`Cannot read what is said of ${on.branch}: ${errorText(cause)}`, { cause });
  });
}
