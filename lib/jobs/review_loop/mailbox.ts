import { HumanInterventionRequiredError, RuntimeError, TimeoutError } from "../../base/errors.ts";
import type { Role } from "../../base/roles.ts";
import { CapReachedError, TokensUnknownError } from "../../run/caps.ts";
import {
  closeInbox,
  type InboxFolder,
  type LeftMessage,
  listInbox,
  readLeftMessage,
  reopenInbox,
} from "../../run/inbox.ts";
import { strayMessagesMessage } from "../../run/stray_mail.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import { firstLine } from "../../base/text/lines.ts";
import { compareText } from "../../base/text/order.ts";
import type { OutsideMessage } from "../../journal/loop/state.ts";
import type { RunParts } from "./run_parts.ts";
import type { Locks } from "../locks.ts";
import { present } from "../../base/schema.ts";

interface MessagesOptions extends Pick<RunParts, "folder" | "state" | "record"> {
  /** Where messages are left; missing where none can be. */
  readonly mail: InboxFolder | undefined;
}

export interface MailboxOptions extends MessagesOptions, Pick<RunParts, "requireTurn" | "clock" | "signal"> {
  readonly locks: Locks<Role>;
  readonly hasAgent: (role: Role) => boolean;
  readonly play: (message: OutsideMessage, text: string, signal: AbortSignal) => Promise<void>;
  readonly onBroken: (error: unknown) => void;
}

/**
 * The messages from outside for the agents of a run under way. Disposal gives up the turns that are under way; what was
 * not answered is there when the run is resumed.
 */
interface Mailbox extends AsyncDisposable {
  finish(): Promise<void>;
}

const LOOK_ANYWAY_MS = 10_000;

/**
 * Delivers messages from outside: each one once, when the agent of its role is at rest, in the order in which they
 * arrived. Agents of several roles may be at work side by side.
 */
export function openMailbox(options: MailboxOptions): Mailbox {
  const { mail, state, locks } = options;
  const over = new AbortController();
  const looking = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const take = createTaker(options);
  const deliveries = new Map<Role, Promise<void>>();
  const refused = new Map<string, string>();
  let isClosing = false;
  let isFinished = false;
  let broken: { readonly error: unknown } | undefined;

  const breakOff = (error: unknown) => {
    if (signal.aborted || broken !== undefined) return;
    broken = { error };
    options.onBroken(error);
  };
  const isDue = ({ id, isOver, turn }: OutsideMessage) =>
    !isOver && !refused.has(id) && (turn !== undefined || !isClosing);
  const nextOf = (role: Role) => {
    const due = state().messages.filter((message) => message.role === role && isDue(message));
    return due.find(({ turn }) => turn !== undefined) ?? due[0];
  };
  const startDeliveries = () => {
    for (const role of new Set(state().messages.map(({ role }) => role))) {
      if (deliveries.has(role) || nextOf(role) === undefined) continue;
      const delivery = deliverTo(role).catch(breakOff).finally(() => deliveries.delete(role));
      deliveries.set(role, delivery);
    }
  };

  async function deliverTo(role: Role): Promise<void> {
    while (nextOf(role) !== undefined) {
      using _agent = await locks.take(role, signal);
      const message = nextOf(role);
      if (message !== undefined) await deliver(message, { ...options, signal, refused });
    }
  }

  if (mail !== undefined) reopenInbox(mail);
  startDeliveries();
  const until = AbortSignal.any([signal, looking.signal]);
  const looks = watchInbox(options, until, async () => {
    await take();
    startDeliveries();
  }).catch((error) => {
    if (!looking.signal.aborted) breakOff(error);
  });
  const delivered = async () => {
    while (deliveries.size > 0) await Promise.all(deliveries.values());
  };

  return {
    async finish() {
      isClosing = true;
      looking.abort();
      await looks;
      await delivered();
      if (broken !== undefined) throw broken.error;
      options.signal.throwIfAborted();
      isFinished = true;
      await closeFor(options);
      await take();
      failRest(options, ({ id }) => refused.get(id));
    },
    async [Symbol.asyncDispose]() {
      isClosing = true;
      looking.abort();
      over.abort(new Error("the run ends"));
      await looks;
      await delivered();
      if (!isFinished) warnOfRest(options);
    },
  };
}

async function watchInbox(
  { mail, clock }: MailboxOptions,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  if (mail === undefined) return;
  // Watched before the first look: what comes in between is seen.
  for (const watch = watchFolder(mail.inboxDir, { clock });;) {
    await look();
    await watch.wait(LOOK_ANYWAY_MS, signal);
  }
}

/** @param refused why messages are not begun, by their ids */
async function deliver(
  message: OutsideMessage,
  { mail, state, record, hasAgent, requireTurn, play, clock, signal, refused }: MailboxOptions & {
    readonly refused: Map<string, string>;
  },
): Promise<void> {
  const { id: messageId, role } = message;
  const fail = (reason: string, seconds?: number) =>
    record({ type: "message_failed", messageId, role, reason, ...present({ seconds }) });
  if (!hasAgent(role)) return fail(`The run has no agent for ${role}.`);
  const startedAtMs = clock.now();
  let hasBegun = message.turn !== undefined;
  try {
    const text = await textOf(mail, message);
    if (!hasBegun) requireTurn(role);
    record({ type: hasBegun ? "message_resumed" : "message_started", messageId, role });
    hasBegun = true;
    await play(message, text, signal);
  } catch (error) {
    if (signal.aborted) throw error;
    if (error instanceof CapReachedError && !hasBegun) return void refused.set(messageId, sentenceOf(error));
    if (!isOfMessage(error)) throw error;
    // What went wrong after the response had been taken says nothing of it.
    if (state().messages.some(({ id, isOver }) => id === messageId && isOver)) return;
    fail(sentenceOf(error), hasBegun ? (clock.now() - startedAtMs) / 1000 : undefined);
  }
}

/**
 * Tells that the messages of a run that is over were not answered; for a run whose loop an earlier process has brought
 * to its end.
 */
export async function failLeftMessages(options: MessagesOptions): Promise<void> {
  await closeFor(options);
  await createTaker(options)();
  failRest(options, () => undefined);
}

function createTaker({ folder, mail, state, record }: MessagesOptions): () => Promise<void> {
  const unusable = new Set<string>();
  let isStrayTold = false;
  return async () => {
    const known = new Set(state().messages.map(({ id }) => id));
    const stray = isStrayTold ? undefined : strayMessagesMessage(folder, known);
    if (stray !== undefined) record({ type: "warning", message: stray });
    isStrayTold ||= stray !== undefined;
    if (mail === undefined) return;
    const found: LeftMessage[] = [];
    for (const id of listInbox(mail)) {
      if (known.has(id) || unusable.has(id)) continue;
      try {
        found.push(readLeftMessage(mail, id));
      } catch (error) {
        unusable.add(id);
        record({ type: "warning", message: errorText(error) });
      }
    }
    const inOrder = found.toSorted((one, other) =>
      compareText(one.leftAt, other.leftAt) || compareText(one.id, other.id)
    );
    for (const { id: messageId, role, by, who, wantsResponse, text } of inOrder) {
      const sha256 = await sha256Hex(text);
      const { length: bytes } = new TextEncoder().encode(text);
      const from = who === undefined ? { by } : { by, who };
      record({ type: "message_received", messageId, role, ...from, wantsResponse, bytes, sha256 });
    }
  };
}

async function textOf(mail: InboxFolder | undefined, { id, sha256 }: OutsideMessage): Promise<string> {
  const { text } = readAgain(mail, id);
  if (await sha256Hex(text) === sha256) return text;
  throw new RuntimeError(`Cannot send message ${id}: its file was changed after it had arrived`);
}

function readAgain(mail: InboxFolder | undefined, id: string): LeftMessage {
  try {
    return readLeftMessage(mail, id);
  } catch (cause) {
    throw new RuntimeError(errorText(cause), { cause });
  }
}

function isOfMessage(error: unknown): boolean {
  if (error instanceof CapReachedError || error instanceof TokensUnknownError) return false;
  return error instanceof RuntimeError || error instanceof TimeoutError ||
    error instanceof HumanInterventionRequiredError;
}

function sentenceOf(error: unknown): string {
  return firstLine(errorText(error)).replace(/\.?$/, ".");
}

/** A run does not fail because nobody can be told that a message comes too late. */
async function closeFor({ mail, record }: MessagesOptions): Promise<void> {
  if (mail === undefined) return;
  try {
    await closeInbox(mail);
  } catch (error) {
    record({
      type: "warning",
      message: `senders of messages that arrive now do not learn that they are too late: ${errorText(error)}`,
    });
  }
}

function failRest(
  { state, record }: MessagesOptions,
  reasonOf: (message: OutsideMessage) => string | undefined,
): void {
  for (const message of state().messages.filter(({ isOver }) => !isOver)) {
    const { id: messageId, role, turn } = message;
    const what = turn === undefined ? "the message was sent" : "it was answered";
    const reason = reasonOf(message) ?? `The run has come to its end before ${what}.`;
    record({ type: "message_failed", messageId, role, reason, ...(turn === undefined ? {} : { seconds: 0 }) });
  }
}

function warnOfRest({ state, record }: MessagesOptions): void {
  const { length } = state().messages.filter(({ isOver }) => !isOver);
  if (length === 0) return;
  const message =
    `${length === 1 ? "a message from outside is" : `${length} messages from outside are`} not answered ` +
    "yet: that continues when the run is resumed";
  try {
    record({ type: "warning", message });
  } catch { /* what ends the run counts more */ }
}
