import { isExecuted } from "../../base/ports/lock_file.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { JOBS } from "../../jobs/mod.ts";
import type { HttpPoster } from "../../base/ports/http.ts";
import { openButtonsSince } from "../../run/notify/buttons.ts";
import { channelsOf } from "../../run/notify/channels.ts";
import { type MachineSecrets, machineSecrets } from "../../run/notify/machine_secrets.ts";
import { openMessages } from "../../run/notify/messages.ts";
import { outgoing } from "../../run/notify/notification.ts";
import { openOutbox } from "../../run/notify/outbox.ts";
import { type OutboxEntry, readEntries, removeEntry } from "../../run/notify/outbox_file.ts";
import type { NotificationPlan } from "../../run/notify/plan.ts";
import { pageOf } from "../../run/notify/way_back.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import { lockOutbox } from "../../run/run_lock.ts";
import { hasUntoldEnd, keepUntoldEnd } from "../../run/told_end.ts";
import { errorText } from "../../base/text/error_text.ts";
import { findOpenQuestion, giveAnswer } from "./give_answer.ts";
import { present } from "../../base/schema.ts";

interface Tended {
  readonly delivered: number;
  /** How many could not be, and stay. */
  readonly left: number;
  readonly dropped: number;
  readonly problems: readonly string[];
}

interface TendOptions {
  readonly plan: NotificationPlan;
  readonly workdir: string;
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly quietBefore: Date;
  readonly http?: HttpPoster;
  readonly secrets?: MachineSecrets;
}

/** Whether there is something to do for the messages of a run: nobody executes it, and it has left some, or buttons. */
export async function needsTending(folder: RunFolder, now: Date): Promise<boolean> {
  const isOpen = (await readEntries(folder)).length > 0 || await openButtonsSince(folder, { now }) !== undefined;
  return isOpen ? !await isExecuted(folder) : await hasUntoldEnd(folder, { jobs: JOBS, now });
}

/**
 * Delivers what a run that nobody executes has left in its outbox, and takes the answers of buttons that were pressed
 * since. What is delivered so late has no buttons: an agent may have written it.
 */
export async function tendNotifications(folder: RunFolder, options: TendOptions): Promise<Tended> {
  const { plan, workdir, redactor, clock, wallClock, http, secrets = machineSecrets() } = options;
  const problems: string[] = [];
  const onProblem = (message: string) => void problems.push(message);
  const given = { ...present({ http }), secrets };
  const messages = openMessages({
    ...{ plan, folder, workdir, redactor, clock, wallClock, onProblem, ...given },
    takesLeft: false,
    giveAnswer: (press) =>
      // What a config does was agreed to before it was read.
      giveAnswer(folder, { ...press, by: "notification" }, { requireTrust: () => Promise.resolve(), wallClock }),
  });
  await messages.hearEarlier({ quietBefore: options.quietBefore });
  await messages.close({ held: "drop" });

  const seen = await readEntries(folder);
  const told = { jobs: JOBS, now: wallClock() };
  using lock = seen.length === 0 && !await hasUntoldEnd(folder, told) ? undefined : await lockOutbox(folder);
  if (lock === undefined) return { delivered: 0, left: seen.length, dropped: 0, problems };
  const channels = channelsOf(plan, { workdir, wallClock, ...given });
  await keepUntoldEnd(folder, { ...told, channels, redactor, ...present({ ends: plan.ends }) }).catch((error) =>
    onProblem(`Cannot keep a notification: ${errorText(error)}`)
  );
  // Who had the lock until now may have delivered some.
  const entries = await readEntries(folder);
  const outbox = openOutbox({
    ...{ folder, run: folder.id, clock, wallClock, onProblem, actionsOf: () => Promise.resolve([]) },
    ...pageOf(plan, folder.id),
    channels,
  });
  let dropped = 0;
  for (const entry of entries) {
    if (await isNeeded(entry, folder)) {
      outbox.take({ ...entry, notification: outgoing(entry.notification, { redactor, buttons: "none" }) });
    } else {
      removeEntry(folder, entry);
      dropped++;
    }
  }
  await outbox.close({ held: "deliver" });
  const left = (await readEntries(folder)).length;
  return { delivered: Math.max(0, entries.length - dropped - left), left, dropped, problems };
}

/** Whether a message still says something: a question that has its answer needs nobody. */
async function isNeeded({ notification: { kind, question } }: OutboxEntry, folder: RunFolder): Promise<boolean> {
  if (kind !== "needed") return true;
  return question !== undefined && await findOpenQuestion(folder, question.id).then(() => true, () => false);
}
