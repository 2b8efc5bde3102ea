import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { HumanInterventionRequiredError, RuntimeError, TimeoutError } from "../../lib/base/errors.ts";
import type { DialogDesk, OpenDialog } from "../../lib/turn/dialog_desk.ts";
import type { HandoffOptions } from "../../lib/turn/terminal_api.ts";
import { sendAndWait, waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import { createBench, type HandoffBench } from "./support.ts";

const ON = { autoAcceptPermissions: true };

interface FakeDesk extends DialogDesk {
  readonly answers: number[];
  closes: number;
}

/** A desk that decides as it is told; answering takes 50 ms. */
function fakeDesk(
  bench: HandoffBench,
  decide: () => Partial<Exclude<OpenDialog, { decision: "wait" }>> | { decision: "wait" } | undefined,
): FakeDesk {
  const desk: FakeDesk = {
    answers: [],
    closes: 0,
    inspect() {
      const decided = decide();
      if (decided === undefined) return Promise.resolve(undefined);
      if (decided.decision === "wait") return Promise.resolve({ decision: "wait" });
      return Promise.resolve({
        decision: "accept",
        by: "policy",
        request: "the command `git push`",
        reason: "The policy denies it.",
        tail: ["one", "two", "three", "four", "five", "six"],
        async answer() {
          desk.answers.push(bench.clock.elapsedSeconds());
          await bench.clock.sleep(50);
          return true;
        },
        ...decided,
      });
    },
    noteClosed: () => void desk.closes++,
  };
  return desk;
}

function waitOn(bench: HandoffBench, options: HandoffOptions): Promise<string> {
  return bench.clock.runUntilSettled(waitForResponseFile(bench.terminal, "t-7", "programmer", options));
}

Deno.test("with a desk: nothing is sent, cooldown and cap hold as for the text y, and each accept is in the log", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"]] });
  const desk = fakeDesk(bench, () => ({}));
  await assertRejects(
    () => waitOn(bench, { ...bench.options({ ...ON, acceptCap: 3 }), dialogs: desk }),
    RuntimeError,
    "programmer in terminal t-7: 3 dialogs were accepted, and no more are allowed in a turn",
  );
  assertEquals(desk.answers, [0, 6, 12]);
  assertEquals(bench.terminal.inputs, []);
  assertEquals(bench.logs[1]!.split("\n"), [
    "Auto-accepting the permission dialog of programmer in terminal t-7 (2/3):",
    "  | two",
    "  | three",
    "  | four",
    "  | five",
    "  | six",
  ]);
});

Deno.test("with a desk: an answer that was not given does not count", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [5, "idle"]] });
  const desk = fakeDesk(bench, () => ({ answer: () => Promise.resolve(false) }));
  bench.clock.at(5, () => bench.respond("programmer", "changed"));
  assertEquals(await waitOn(bench, { ...bench.options({ ...ON, acceptCap: 1 }), dialogs: desk }), "changed");
});

Deno.test("with a desk: an agent whose request is refused is told why, and to go on, in the same turn", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [0.05, "processing"], [0.25, "idle"], [3, "processing"], [8, "completed"]],
  });
  const desk = fakeDesk(bench, () => ({ decision: "decline" }));
  bench.clock.at(7, () => bench.respond("programmer", "done without it"));
  assertEquals(await waitOn(bench, { ...bench.options(ON), dialogs: desk }), "done without it");
  const [message, ...others] = bench.terminal.inputs;
  assertEquals(others, []);
  assertStringIncludes(message!.text, "was refused: the command `git push`. The policy denies it.");
  assertStringIncludes(message!.text, "Your task from the previous prompt is not over");
  assertStringIncludes(message!.text, "--- RESPONSE FILE INSTRUCTION ---");
  assertEquals(bench.logs, [
    "Refusing the permission dialog of programmer in terminal t-7: the command `git push`. The policy denies it.",
  ]);
});

Deno.test("with a desk: an agent that works on after a refusal is not disturbed", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [0.05, "processing"], [9, "idle"]] });
  const desk = fakeDesk(bench, () => ({ decision: "decline" }));
  bench.clock.at(9, () => bench.respond("programmer", "done"));
  await waitOn(bench, { ...bench.options(ON), dialogs: desk });
  assertEquals(bench.terminal.inputs, []);
});

Deno.test("with a desk: an agent that ends its turn long after a refusal is told of that, and only then of its file", async () => {
  await using bench = await createBench({
    statuses: [[0, "idle"], [2, "processing"], [4, "waiting_user_answer"], [5, "processing"], [30, "idle"]],
  });
  const desk = fakeDesk(bench, () => ({ decision: "decline" }));
  const options = { ...bench.options({ ...ON, maxFileReminders: 2, idleGraceSeconds: 1 }), dialogs: desk };
  const turn = () => bench.clock.runUntilSettled(sendAndWait(bench.terminal, "t-7", "programmer", "do it", options));
  await assertRejects(turn, RuntimeError, "without a usable");
  const [, first, second] = bench.terminal.inputs;
  assertStringIncludes(first!.text, "was refused: the command `git push`. The policy denies it.");
  assertStringIncludes(first!.text, "--- RESPONSE FILE INSTRUCTION ---");
  assertStringIncludes(second!.text, "your response file cannot be used");
});

Deno.test("with a desk: refusals have a cap as well", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"]] });
  const desk = fakeDesk(bench, () => ({ decision: "decline" }));
  await assertRejects(
    () => waitOn(bench, { ...bench.options({ ...ON, acceptCap: 2 }), dialogs: desk }),
    RuntimeError,
    "2 dialogs were denied",
  );
  assertEquals(desk.answers.length, 2);
});

Deno.test("with a desk: what a person answers counts towards no limit", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"], [9, "idle"]] });
  const desk = fakeDesk(bench, () => ({ by: "person" }));
  bench.clock.at(9, () => bench.respond("programmer", "done"));
  await waitOn(bench, { ...bench.options({ ...ON, acceptCap: 0 }), dialogs: desk });
  assertEquals(desk.answers, [0, 2, 4, 6, 8]);
});

Deno.test("with a desk: the time at a person's dialog is not taken from the response timeout", async () => {
  await using bench = await createBench({
    statuses: [[0, "processing"], [10, "waiting_user_answer"], [610, "processing"]],
  });
  const desk = fakeDesk(bench, () => ({ decision: "wait" }));
  const options = { ...bench.options({ responseTimeoutSeconds: 60 }), dialogs: desk };
  await assertRejects(() => waitOn(bench, options), TimeoutError);
  assertEquals(bench.clock.elapsedSeconds(), 660);
  assertEquals(desk.answers, []);
});

Deno.test("with a desk: a dialog that nobody answers in time ends the turn as the desk says", async () => {
  await using bench = await createBench({ statuses: [[0, "waiting_user_answer"]] });
  const desk = fakeDesk(bench, () => {
    if (bench.clock.elapsedSeconds() < 20) return { decision: "wait" };
    throw new HumanInterventionRequiredError("Cannot finish the turn: nobody answered");
  });
  await assertRejects(
    () => waitOn(bench, { ...bench.options(), dialogs: desk }),
    HumanInterventionRequiredError,
    "nobody answered",
  );
});

Deno.test("with a desk: a dialog in the way of a prompt is dealt with first, and the prompt is sent once more", async () => {
  await using bench = await createBench({
    statuses: [[0, "waiting_user_answer"], [2, "idle"], [6, "processing"], [8, "idle"]],
    onInput() {
      if (bench.clock.elapsedSeconds() >= 2) return;
      throw new HumanInterventionRequiredError("Cannot submit to programmer: a dialog (command) is open");
    },
  });
  const desk = fakeDesk(bench, () => ({}));
  bench.clock.at(8, () => bench.respond("programmer", "done"));
  const turn = sendAndWait(bench.terminal, "t-7", "programmer", "do it", { ...bench.options(ON), dialogs: desk });
  assertEquals(await bench.clock.runUntilSettled(turn), "done");
  assertEquals(desk.answers, [0]);
  assertEquals(bench.terminal.inputs.map(({ text, atSecond }) => [text, atSecond]), [["do it", 0], ["do it", 2.05]]);
});

Deno.test("with a desk: a person's draft in the way of a prompt ends the turn", async () => {
  await using bench = await createBench({
    statuses: [[0, "idle"]],
    onInput: () => Promise.reject(new HumanInterventionRequiredError("Cannot submit: a draft")),
  });
  const desk = fakeDesk(bench, () => ({}));
  const options = { ...bench.options(ON), dialogs: desk };
  await assertRejects(
    () => bench.clock.runUntilSettled(sendAndWait(bench.terminal, "t-7", "programmer", "do it", options)),
    HumanInterventionRequiredError,
    "a draft",
  );
  assertEquals(bench.terminal.inputs.length, 1);
});

Deno.test("what a desk answers without a dialog has the caps of the turn but no cooldown, and is in the log", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"]] });
  const taken: (readonly [boolean, number])[] = [];
  const desk: DialogDesk = {
    inspect: () => Promise.resolve(undefined),
    noteClosed: () => {},
    serve(limits) {
      for (const decision of ["accept", "accept", "accept", "decline", "decline", "decline"] as const) {
        const given = limits.take({ decision, request: "the command `ls`", reason: "It may." });
        taken.push([given, bench.clock.elapsedSeconds()]);
      }
      return { [Symbol.dispose]: () => taken.push([false, -1]) };
    },
  };
  await assertRejects(
    () => waitOn(bench, { ...bench.options({ ...ON, acceptCap: 2, responseTimeoutSeconds: 60 }), dialogs: desk }),
    TimeoutError,
  );
  assertEquals(taken, [[true, 0], [true, 0], [false, 0], [true, 0], [true, 0], [false, 0], [false, -1]]);
  assertEquals(bench.logs.filter((line) => line.includes("request of")), [
    "Auto-accepting the request of programmer in terminal t-7 (1/2): the command `ls`",
    "Auto-accepting the request of programmer in terminal t-7 (2/2): the command `ls`",
    "Refusing the request of programmer in terminal t-7: the command `ls`. It may.",
    "Refusing the request of programmer in terminal t-7: the command `ls`. It may.",
  ]);
});

Deno.test("a response is taken once what the desk answers is on record", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  await bench.respond("programmer", "done");
  const archivedAfter: number[] = [];
  const options: HandoffOptions = {
    ...bench.options(ON),
    dialogs: {
      inspect: () => Promise.resolve(undefined),
      noteClosed: () => {},
      settled: () => bench.clock.sleep(9000),
    },
    onArchived: () => void archivedAfter.push(bench.clock.elapsedSeconds()),
  };
  assertEquals(await waitOn(bench, options), "done");
  assertEquals(archivedAfter, [11]);
});

Deno.test("a response is not taken if an answer of the desk could not be given", async () => {
  await using bench = await createBench({ statuses: [[0, "processing"], [2, "idle"]] });
  await bench.respond("programmer", "done");
  const settled = () => Promise.reject(new RuntimeError("Cannot write the audit log"));
  const dialogs = { inspect: () => Promise.resolve(undefined), noteClosed: () => {}, settled };
  await assertRejects(() => waitOn(bench, { ...bench.options(ON), dialogs }), RuntimeError, "the audit log");
  assertEquals(await bench.archive(), []);
});
