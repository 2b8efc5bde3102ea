import { assertEquals, assertStringIncludes } from "@std/assert";
import type { AnswersFrom } from "../../lib/base/terms.ts";
import { hostGateOf } from "../../lib/jobs/host_question.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { leaveAnswer } from "../../lib/turn/desk/answers.ts";
import { patientClock } from "../support/patient_clock.ts";
import { tempDir } from "../support/temp_dir.ts";
import { until } from "../support/until.ts";

interface Gate {
  /** What the person at the terminal says, in turn; missing where nobody sits there. */
  readonly said?: readonly (string | undefined)[];
  readonly isPatient?: boolean;
  readonly answersFrom?: AnswersFrom;
}

/** A gate, and what was asked, recorded and sent to a person who is elsewhere. */
async function openGate({ said, isPatient = false, answersFrom = "person" }: Gate) {
  const dir = await tempDir();
  // A minute goes by only when a test says so.
  const clock = patientClock({ pace: 50, byHandFromMs: 10_000 });
  const [asked, reached, recorded, sent]: [string[], string[], unknown[], string[]] = [[], [], [], []];
  let [last, questions] = [0, 0];
  const mail = { answersDir: `${dir.path}/answers`, inboxDir: `${dir.path}/inbox` };
  const gate = hostGateOf({
    ...said && {
      askAtTerminal: (question: string) => {
        asked.push(question);
        return Promise.resolve(said[last++]);
      },
    },
    ...{ clock, isPatient, answersFrom, mail: said === undefined ? mail : undefined },
    folder: runFolderAt(dir.path, "20260102-030405-aaaa"),
    commandLine: (...words) => words.join(" "),
    nextQuestionId: () => `q${questions + 1}`,
    notify: ({ text }) => {
      sent.push(text);
      return { withdraw: () => {} };
    },
    state: () => ({ reached }),
    record(fact) {
      if (fact.type === "warning") return void recorded.push(fact.message);
      if (fact.type === "host_asked") return void questions++;
      recorded.push([fact.question, fact.host, fact.answer, fact.by]);
      if (fact.answer === "run") reached.push(fact.host);
    },
    wallClock: () => new Date(),
    signal: new AbortController().signal,
  });
  return {
    ...{ asked, recorded, sent, clock, gate },
    reach: (host: string, port = 443) => gate.mayReach!({ host, port }),
    answer: (question: string, answer: string) =>
      leaveAnswer(mail, { question, answer, by: "command", answeredAt: new Date().toISOString() }),
    async [Symbol.asyncDispose]() {
      gate[Symbol.dispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a host that is not named is a question: once, until the run ends, or not", async () => {
  await using there = await openGate({ said: ["once", "RUN ", "no"] });
  const { reach, asked, recorded } = there;
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("a.example"), true);
  assertEquals(await reach("b.example"), false);
  assertEquals(await reach("b.example"), false);
  assertEquals(asked.length, 3);
  assertStringIncludes(asked[0] ?? "", "wants to reach a.example:443, which sandbox_network does not name");
  assertEquals(recorded, [
    ["q1", "a.example:443", "once", "terminal"],
    ["q2", "a.example:443", "run", "terminal"],
    ["q3", "b.example:443", "no", "terminal"],
  ]);
});

Deno.test("what is no answer is asked again, none is a no, and a port is another target", async () => {
  await using there = await openGate({ said: ["yes", "once", undefined, "text: yes, all of them"] });
  const { reach, asked, recorded } = there;
  assertEquals(await reach("a.example"), true);
  assertStringIncludes(asked[1] ?? "", 'That is no answer: "yes" is no choice of "May it reach a.example:443?"');
  assertEquals(await reach("a.example", 80), false);
  assertEquals(await reach("a.example", 81), false);
  assertEquals(recorded, [
    ["q1", "a.example:443", "once", "terminal"],
    ["q2", "a.example:80", "no", "terminal"],
    ["q3", "a.example:81", "no", "terminal"],
  ]);
});

Deno.test("one person is asked once, however many connections a program opens", async () => {
  await using there = await openGate({ said: ["once"] });
  const all = Promise.all(["a.example", "a.example", "a.example"].map((host) => there.reach(host)));
  assertEquals(await all, [true, true, true]);
  assertEquals(there.asked.length, 1);
});

Deno.test("after twenty refusals nobody is asked any more; a name is shown as text", async () => {
  await using stubborn = await openGate({ said: Array.from({ length: 40 }, () => "no") });
  for (let host = 0; host < 40; host++) {
    assertEquals(await stubborn.reach(host === 0 ? "a\u001b[2J.example" : `h${host}.example`), false);
  }
  assertEquals(stubborn.asked.length, 20);
  assertEquals(stubborn.asked[0]?.includes("\u001b"), false);
});

Deno.test("where nobody answers, no more than twenty hosts are asked about", async () => {
  await using there = await openGate({ isPatient: true });
  const { clock, reach, sent } = there;
  const all = Promise.all(Array.from({ length: 40 }, (_, at) => reach(`h${at}.example`)));
  await until(() => sent.length >= 20);
  clock.advance(60_000);
  assertEquals((await all).includes(true), false);
  assertEquals(sent.length, 20);
});

Deno.test("where nobody is, no host is let through", async () => {
  await using there = await openGate({});
  assertEquals(there.gate.mayReach, undefined);
});

Deno.test("who sits at no terminal answers elsewhere: in time, or for who tries again", async () => {
  await using there = await openGate({ isPatient: true, answersFrom: "any" });
  const { answer, clock, reach, recorded, sent } = there;
  const waiting = reach("a.example");
  await until(() => sent.length === 1);
  assertStringIncludes(sent[0] ?? "", "answer --question q1");
  await answer("q1", "1");
  assertEquals(await waiting, true);

  // The second time a minute goes by; the question stays open meanwhile, and nobody waits for it again.
  const late = reach("a.example");
  await until(() => clock.sleepers() === 2);
  clock.advance(60_000);
  assertEquals(await late, false);
  assertEquals(await reach("a.example"), false);
  assertEquals(sent.length, 2);
  await answer("q2", "once");
  await until(() => recorded.length === 2);
  assertEquals(await reach("a.example"), true);
  // That was the once.
  await answer("q3", "no");
  assertEquals(await reach("a.example"), false);
  assertEquals(recorded, [
    ["q1", "a.example:443", "once", "command"],
    ["q2", "a.example:443", "once", "command"],
    ["q3", "a.example:443", "no", "command"],
  ]);
});

Deno.test("an answer of nobody knows whom lets no host through, and the question stays open", async () => {
  await using there = await openGate({ isPatient: true });
  const { answer, clock, reach, recorded } = there;
  await answer("q1", "run");
  const waiting = reach("a.example");
  await until(() => recorded.length === 1 && clock.sleepers() === 2);
  assertStringIncludes(String(recorded[0]), "nothing shows that a person gave it");
  clock.advance(60_000);
  assertEquals(await waiting, false);
  assertEquals(recorded.length, 1);
});

Deno.test("where the sandbox is closed, nobody is waited for", async () => {
  await using there = await openGate({ isPatient: true });
  const { clock, gate, reach, recorded } = there;
  const waiting = reach("a.example");
  await until(() => clock.sleepers() === 2);
  gate[Symbol.dispose]();
  assertEquals(await waiting, false);
  assertEquals(recorded, []);
});
