import type { Clock } from "../../base/ports/clock.ts";
import type { HttpLines, HttpPoster } from "../../base/ports/http.ts";
import type { ProcessRunner } from "../../base/ports/process.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { errorText } from "../../base/text/error_text.ts";
import { type ButtonsFolder, closeButtons, type Press } from "./buttons.ts";
import { channelsOf } from "./channels.ts";
import type { ToldEnd } from "./end_due.ts";
import { type MachineSecrets, machineSecrets } from "./machine_secrets.ts";
import { type Notification, outgoing } from "./notification.ts";
import { openOutbox, type SentMessage } from "./outbox.ts";
import { type OutboxFolder, readEntries, removeEntry } from "./outbox_file.ts";
import { DEFAULT_DELAY_SECONDS, type NotificationPlan } from "./plan.ts";
import { createEar } from "./ear.ts";
import { actionsFor, pageOf, type WayBack, wayBackOf } from "./way_back.ts";
import { present } from "../../base/schema.ts";

export interface Messages {
  send(notification: Notification): SentMessage;
  sendEnd(end: ToldEnd): void;
  hearEarlier(options?: { readonly quietBefore?: Date }): Promise<void>;
  close(options: { readonly held: "deliver" | "drop" }): Promise<void>;
}

export interface MessagesParts {
  readonly plan: NotificationPlan | undefined;
  readonly folder: OutboxFolder & ButtonsFolder;
  readonly workdir: string;
  readonly takesLeft: boolean;
  /** Takes out what must not leave the machine. */
  readonly redactor: Redactor;
  readonly onProblem: (message: string) => void;
  readonly giveAnswer: ((press: Press) => Promise<unknown>) | undefined;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  readonly http?: HttpPoster;
  readonly lines?: HttpLines;
  readonly run?: ProcessRunner;
  readonly secrets?: MachineSecrets;
  readonly random?: () => number;
}

/** Who hears a button, for a person who presses one: nobody is there to tell them so then. */
const HEARD = "If the run has stopped, a button counts once it is resumed, or where panewright serve runs.";

/** So many refused buttons are told: whoever knows the topic could otherwise have messages sent without end. */
const MOST_REFUSALS = 20;

export function openMessages(parts: MessagesParts): Messages {
  const { plan } = parts;
  if (plan === undefined) {
    const nothing = () => Promise.resolve();
    return { send: () => ({ withdraw() {} }), sendEnd() {}, hearEarlier: nothing, close: nothing };
  }
  return openPlanned({ ...parts, plan });
}

function openPlanned(parts: MessagesParts & { readonly plan: NotificationPlan }): Messages {
  const { plan, folder, workdir, redactor, onProblem, clock, wallClock } = parts;
  const { http, run, random, secrets = machineSecrets() } = parts;
  const { buttons = "none", delaySeconds = DEFAULT_DELAY_SECONDS } = plan;
  const way = findWay(parts, secrets);
  const open = new Set<string>();
  /** The last change of the files of buttons: one at a time, or two channels would make different ones. */
  let lastChange: Promise<unknown> = Promise.resolve();
  const oneByOne = <Value>(change: () => Promise<Value>): Promise<Value> => {
    const done = lastChange.then(change);
    lastChange = done.catch(() => {});
    return done;
  };
  const outbox = openOutbox({
    folder,
    channels: channelsOf(plan, { ...{ workdir, secrets, wallClock }, ...present({ http, run }) }),
    run: folder.id,
    ...pageOf(plan, folder.id),
    async actionsOf(notification) {
      try {
        const actions = await oneByOne(() => actionsFor(notification, { folder, way, secrets, now: wallClock() }));
        const question = notification.question?.id;
        if (actions.length > 0 && question !== undefined && open.has(question)) ear?.listen();
        return actions;
      } catch (error) {
        onProblem(`Cannot make buttons for a notification: ${errorText(error)}`);
        return [];
      }
    },
    ...{ clock, wallClock, onProblem },
    ...present({ random }),
  });
  let refusalsLeft = MOST_REFUSALS;
  const onRefused = (question: string, why: string) => {
    if (refusalsLeft-- <= 0) return;
    const text = `${question} of run ${folder.id}: ${why}`;
    const refusal: Notification = { kind: "answer", title: "panewright: not answered", text, priority: 4 };
    outbox.put(outgoing(refusal, { redactor, buttons }), { over: "ntfy" });
  };
  const { giveAnswer } = parts;
  const ear = way?.by === "topic" && giveAnswer !== undefined
    ? createEar({ ...parts, way, secrets, giveAnswer, onRefused })
    : undefined;
  const taken = parts.takesLeft ? takeLeft(outbox, parts) : Promise.resolve();

  return {
    send(notification) {
      const plain = outgoing(notification, { redactor, buttons: way === undefined ? "none" : buttons });
      const hasButtons = way?.by === "topic" && (plain.question?.choices.length ?? 0) > 0;
      const told = hasButtons ? { ...plain, text: `${plain.text}\n${HEARD}` } : plain;
      const question = told.question?.id;
      if (question !== undefined) open.add(question);
      const sent = outbox.put(told, { delayMs: told.kind === "needed" ? delaySeconds * 1000 : 0 });
      return {
        withdraw() {
          sent.withdraw();
          if (question === undefined) return;
          // Buttons on the phone can still be pressed, and are answered with why they are refused.
          open.delete(question);
          oneByOne(() => closeButtons(folder, question)).catch(() => {});
        },
      };
    },
    sendEnd: ({ notification, at }) =>
      outbox.putEnd({ notification: outgoing(notification, { redactor, buttons: "none" }), at }),
    hearEarlier: async ({ quietBefore = wallClock() } = {}) => await ear?.hearEarlier(quietBefore),
    async close({ held }) {
      await ear?.close();
      await lastChange;
      await taken;
      await outbox.close({ held });
    },
  };
}

function findWay(
  { plan, giveAnswer, onProblem }: MessagesParts & { readonly plan: NotificationPlan },
  secrets: MachineSecrets,
): WayBack | undefined {
  try {
    const found = wayBackOf(plan, secrets);
    return found?.by === "topic" && giveAnswer === undefined ? undefined : found;
  } catch (error) {
    onProblem(`Notifications have no buttons: ${errorText(error)}`);
    return undefined;
  }
}

async function takeLeft(
  outbox: Pick<ReturnType<typeof openOutbox>, "take">,
  { folder, redactor, onProblem }: MessagesParts,
): Promise<void> {
  const left = await readEntries(folder).catch((error) => {
    onProblem(`Cannot read the notifications that are left: ${errorText(error)}`);
    return [];
  });
  for (const entry of left) {
    if (entry.notification.kind === "needed") removeEntry(folder, entry);
    // An agent may have written it.
    else outbox.take({ ...entry, notification: outgoing(entry.notification, { redactor, buttons: "none" }) });
  }
}
