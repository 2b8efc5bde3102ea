import type { RunState } from "../../../lib/jobs/review_loop/state.ts";
import { assertEquals, assertRejects } from "@std/assert";
import { HumanInterventionRequiredError, PanewrightError, RuntimeError } from "../../../lib/base/errors.ts";
import type { ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { foldEvent } from "../../../lib/jobs/review_loop/fold.ts";
import { failLeftMessages, type MailboxOptions, openMailbox } from "../../../lib/jobs/review_loop/mailbox.ts";
import type { OutsideMessage } from "../../../lib/journal/loop/state.ts";
import { createLocks } from "../../../lib/jobs/locks.ts";
import { systemClock } from "../../../lib/base/ports/clock.ts";
import type { Role } from "../../../lib/base/roles.ts";
import { CapReachedError } from "../../../lib/run/caps.ts";
import { isInboxClosed, putInInbox } from "../../../lib/run/inbox.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import { claimRunMail } from "../../../lib/run/run_mail.ts";
import { reviewStarted, RUN_ID } from "../../support/run_folders.ts";
import { type TempDir, tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

type Play = (message: OutsideMessage, text: string) => Promise<void>;

/** A mailbox over a folder in which messages can be left, with the facts that it records. */
async function bench(
  dir: TempDir,
  { play, ...options }: Partial<Omit<MailboxOptions, "play">> & { readonly play?: Play } = {},
) {
  const folder = runFolderAt(dir.path, RUN_ID);
  const facts: ReviewFact[] = [];
  let state: RunState | undefined;
  let left = 0;
  const record = (fact: ReviewFact) => {
    state = foldEvent(state, { ...fact, at: "2026-11-22T21:00:00.000Z" });
    facts.push(fact);
  };
  record(reviewStarted(dir.path, RUN_ID));
  facts.length = 0;
  const broken: unknown[] = [];
  const stop = new AbortController();
  const locks = createLocks<Role>();
  await Deno.mkdir(folder.path, { recursive: true });
  const mail = await claimRunMail(folder);
  const messages = { folder, mail, state: () => state!, record };
  return {
    ...messages,
    facts,
    broken,
    stop,
    locks,
    open: (signal = stop.signal) =>
      openMailbox({
        ...messages,
        locks,
        hasAgent: () => true,
        requireTurn: () => {},
        play: async (message, text) => {
          await play?.(message, text);
          const { id: messageId, role } = message;
          record({ type: "message_answered", messageId, role, seconds: 1 });
        },
        onBroken: (error) => broken.push(error),
        clock: systemClock,
        signal,
        ...options,
      }),
    async leave(role: Role, text: string): Promise<string> {
      const id = `m-${String(++left).padStart(16, "0")}`;
      const leftAt = new Date(left * 1000).toISOString();
      await putInInbox(mail, { id, role, text, wantsResponse: true, by: "command", leftAt });
      return id;
    },
    types: () =>
      facts.map((fact) => "messageId" in fact ? `${fact.type} ${fact.messageId.replace(/^m-0*/, "")}` : fact.type),
  };
}

Deno.test("mailbox: messages of a role are played one after the other, those of others meanwhile; the loop has its turn between", async () => {
  await using dir = await tempDir();
  const texts: string[] = [];
  const gate = Promise.withResolvers<void>();
  const { leave, open, locks, types, stop } = await bench(dir, {
    async play({ role }, text) {
      texts.push(text);
      if (text === "one") await gate.promise;
      if (role === "tester") return;
    },
  });
  await leave("analyst", "one");
  await leave("analyst", "two");
  await leave("tester", "three");
  await using mailbox = open();
  await until(() => types().includes("message_answered 3"));
  // The loop waits for the first, and comes before the second.
  const turn = locks.take("analyst", stop.signal);
  gate.resolve();
  const held = await turn;
  assertEquals(texts.toSorted(), ["one", "three"]);
  held[Symbol.dispose]();
  await until(() => types().includes("message_answered 2"));
  assertEquals(types().filter((type) => type.startsWith("message_received")).length, 3);
  await mailbox.finish();
  assertEquals(texts.slice(2), ["two"]);
});

Deno.test("mailbox: what fails with its agent fails alone, with a sentence; anything else ends the run", async () => {
  await using dir = await tempDir();
  const errors = [
    new RuntimeError("Cannot finish the turn: no response\nscreen"),
    new HumanInterventionRequiredError("Cannot finish the turn: a dialog waited"),
  ];
  const { leave, open, facts, broken } = await bench(dir, {
    play: () => Promise.reject(errors.shift() ?? new PanewrightError("Cannot write the journal")),
  });
  await leave("tester", "one");
  await leave("tester", "two");
  {
    await using mailbox = open();
    await until(() => facts.filter(({ type }) => type === "message_failed").length === 2);
    const reasons = facts.flatMap((fact) => fact.type === "message_failed" ? [fact.reason] : []);
    assertEquals(reasons, ["Cannot finish the turn: no response.", "Cannot finish the turn: a dialog waited."]);
    assertEquals(broken, []);
    await leave("tester", "three");
    await until(() => broken.length === 1);
    await assertRejects(() => mailbox.finish(), PanewrightError, "Cannot write the journal");
  }
  assertEquals(facts.at(-1)?.type, "warning");
});

Deno.test("mailbox: an agent that fails after its response was taken has answered all the same", async () => {
  await using dir = await tempDir();
  const { leave, open, types, record, broken } = await bench(dir, {
    play({ id: messageId, role }) {
      record({ type: "message_answered", messageId, role, seconds: 1 });
      return Promise.reject(new RuntimeError("Cannot end the turn: the agent is gone"));
    },
  });
  await leave("tester", "one");
  await using mailbox = open();
  await until(() => types().includes("message_answered 1"));
  await mailbox.finish();
  assertEquals([types().some((type) => type.startsWith("message_failed")), broken], [false, []]);
});

Deno.test("mailbox: what the caps refuse is not begun, and fails with the loop's end; so does what no agent can have", async () => {
  await using dir = await tempDir();
  const { leave, open, facts, types } = await bench(dir, {
    hasAgent: (role) => role !== "analyst",
    requireTurn() {
      throw new CapReachedError("max_turns", 3, { used: 3 });
    },
  });
  await leave("tester", "one");
  await leave("analyst", "two");
  await using mailbox = open();
  await until(() => types().includes("message_failed 2"));
  await mailbox.finish();
  const failed = facts.flatMap((fact) => fact.type === "message_failed" ? [fact] : []);
  assertEquals(failed.map(({ seconds }) => seconds), [undefined, undefined]);
  assertEquals(failed[0]?.reason, "The run has no agent for analyst.");
  assertEquals(failed[1]?.reason.includes("max_turns"), true);
  assertEquals(types().some((type) => type.startsWith("message_started")), false);
});

Deno.test("mailbox: at the loop's end a turn that has begun is waited for, and what has not fails", async () => {
  await using dir = await tempDir();
  const gate = Promise.withResolvers<void>();
  const { leave, open, types, facts, locks, stop, mail } = await bench(dir, { play: () => gate.promise });
  await leave("tester", "one");
  await using mailbox = open();
  using _busy = await locks.take("analyst", stop.signal);
  await until(() => types().includes("message_started 1"));
  await leave("tester", "two");
  await until(() => types().includes("message_received 2"));
  let isOver = false;
  const end = mailbox.finish().then(() => isOver = true);
  await leave("programmer", "three");
  await Promise.resolve();
  assertEquals(isOver, false);
  assertEquals(isInboxClosed(mail), false);
  gate.resolve();
  await end;
  // Whoever leaves one from now on learns that it comes too late.
  assertEquals(isInboxClosed(mail), true);
  assertEquals(types().slice(-4), ["message_answered 1", "message_received 3", "message_failed 2", "message_failed 3"]);
  assertEquals(facts.flatMap((fact) => fact.type === "message_failed" ? [fact.reason] : []), [
    "The run has come to its end before the message was sent.",
    "The run has come to its end before the message was sent.",
  ]);
});

Deno.test("mailbox: a run that is stopped keeps its messages for the next process, which begins with the open turn", async () => {
  await using dir = await tempDir();
  const never = Promise.withResolvers<void>();
  const texts: string[] = [];
  const { leave, open, types, stop, facts } = await bench(dir, {
    async play(_message, text) {
      texts.push(text);
      if (texts.length === 1) await never.promise;
    },
  });
  await leave("tester", "one");
  await leave("tester", "two");
  {
    await using _mailbox = open();
    await until(() => types().includes("message_started 1"));
    stop.abort(new Error("Ctrl-C"));
    never.reject(stop.signal.reason);
  }
  assertEquals(facts.at(-1)?.type, "warning");
  {
    // The next process has a signal of its own.
    await using mailbox = open(new AbortController().signal);
    await until(() => types().includes("message_answered 2"));
    await mailbox.finish();
  }
  assertEquals(texts, ["one", "one", "two"]);
  assertEquals(types().filter((type) => type !== "warning"), [
    "message_received 1",
    "message_received 2",
    "message_started 1",
    "message_resumed 1",
    "message_answered 1",
    "message_started 2",
    "message_answered 2",
  ]);
});

Deno.test("mailbox: what cannot be read in an inbox is told once, and a changed message is not sent", async () => {
  await using dir = await tempDir();
  const { leave, open, types, facts, mail, locks, stop } = await bench(dir);
  const id = await leave("tester", "one");
  const bad = "m-00000000000000ff";
  await Deno.writeTextFile(`${mail.inboxDir}/${bad}.json`, "{");
  const held = await locks.take("tester", stop.signal);
  await using mailbox = open();
  await until(() => types().includes("message_received 1"));
  const path = `${mail.inboxDir}/${id}.json`;
  await Deno.writeTextFile(path, (await Deno.readTextFile(path)).replace("one", "two"));
  held[Symbol.dispose]();
  await until(() => types().includes("message_failed 1"));
  await mailbox.finish();
  const warnings = facts.filter(({ type }) => type === "warning");
  assertEquals(warnings.length, 1);
  assertEquals(types().includes("message_started 1"), false);
});

Deno.test("mailbox: of a run whose loop had ended before it was killed, all messages fail", async () => {
  await using dir = await tempDir();
  const { leave, types, ...messages } = await bench(dir);
  await leave("tester", "one");
  await failLeftMessages(messages);
  assertEquals(types(), ["message_received 1", "message_failed 1"]);
  assertEquals(isInboxClosed(messages.mail), true);
});
