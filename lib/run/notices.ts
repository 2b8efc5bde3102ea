import type { Redactor } from "../base/redact/redactor.ts";
import { present } from "../base/schema.ts";
import { errorText } from "../base/text/error_text.ts";
import type { AnyFact } from "../journal/job.ts";
import type { Execution, Run, RunOptions } from "./execution.ts";
import { channelsOf } from "./notify/channels.ts";
import { forgetEndDue, noteEndDue } from "./notify/end_due.ts";
import { openMessages } from "./notify/messages.ts";
import type { RunFolder } from "./run_folder.ts";
import { lockOutbox } from "./run_lock.ts";
import { type EndOfRun, keepUntoldEnd, toldEnd } from "./told_end.ts";

/** Tells a person who is elsewhere what a run needs, and how it ends. */
export async function openNotices<Fact extends AnyFact, State>(
  { execution, folder, redactor, warn, clock, wallClock }: Pick<Run<Fact, State>, "clock" | "wallClock"> & {
    readonly execution: Pick<Execution<Fact, State>, "plan" | "job">;
    readonly folder: RunFolder;
    readonly redactor: Redactor;
    readonly warn: (message: string) => void;
  },
  { giveAnswer, http }: Pick<RunOptions<Fact>, "giveAnswer" | "http">,
) {
  const { plan: { notifications: plan, workdir }, job } = execution;
  await using opened = new AsyncDisposableStack();
  const outboxLock = plan && opened.use(await lockOutbox(folder));
  if (plan === undefined) forgetEndDue(folder);
  else if (outboxLock !== undefined) {
    const channels = channelsOf(plan, { workdir });
    // A disk that takes no message takes no first record either.
    const how = { jobs: [job], now: wallClock(), channels, redactor, ...present({ ends: plan.ends }) };
    await keepUntoldEnd(folder, how).catch(() => {});
  }
  const messages = openMessages({
    ...{ plan, folder, workdir, redactor, clock, wallClock },
    takesLeft: outboxLock !== undefined,
    onProblem: warn,
    giveAnswer: giveAnswer && ((press) => giveAnswer(folder, press)),
    ...present({ http }),
  });
  // Nobody is there who could answer a question that still waits; an end says more than a question before it.
  let held: "deliver" | "drop" = "drop";
  opened.defer(() => messages.close({ held }));
  const resources = opened.move();
  return {
    send: messages.send,
    hearEarlier: messages.hearEarlier,
    async noteBegun(): Promise<void> {
      if (plan === undefined) return;
      await noteEndDue(folder).catch((error) => warn(`Cannot keep notifications: ${errorText(error)}`));
    },
    tellEnd(finished: EndOfRun): void {
      const end = toldEnd(finished, { workdir, ...present({ ends: plan?.ends }) });
      if (end === undefined) forgetEndDue(folder);
      else messages.sendEnd(end);
      if (finished.outcome === "waiting") held = "deliver";
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
