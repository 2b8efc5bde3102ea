import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Press } from "../../../lib/run/notify/buttons.ts";
import { machineSecrets } from "../../../lib/run/notify/machine_secrets.ts";
import { type Messages, type MessagesParts, openMessages } from "../../../lib/run/notify/messages.ts";
import type { AskedQuestion, Notification } from "../../../lib/run/notify/notification.ts";
import { readEntries } from "../../../lib/run/notify/outbox_file.ts";
import type { NotificationPlan } from "../../../lib/run/notify/plan.ts";
import type { HttpMessage } from "../../../lib/base/ports/http.ts";
import { createRedactor } from "../../../lib/base/redact/redactor.ts";
import { type NtfyServer, startNtfyServer } from "../../lab/ntfy_server.ts";
import { patientClock } from "../../support/patient_clock.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { until } from "../../support/until.ts";

const RUN = "20261120-072605-3fa9";
const QUESTION: AskedQuestion = {
  ...{ id: "q1", fingerprint: "f1", permits: "the command `npm test`" },
  choices: [{ label: "Yes", answer: "yes" }, { label: "No", answer: "no" }],
};
const NEEDED: Notification = {
  ...{ kind: "needed", title: "panewright: tester is stuck", priority: 5, question: QUESTION },
  text: "tester waits for an answer: the command `npm test`. No rule names it.",
};
const ENDED: Notification = { kind: "ended", title: "panewright: pass", text: "all good", priority: 3 };

const HOSTILE_TEXTS = [
  "npm test\n\x1b[2J\x1b[1;1H\x9b31m",
  "rm -rf / \u202e# tset mpn\u202c",
  "echo \u200bhidden \u{e0041}\u{e0042}",
  "a\r\nTitle: forged\r\nActions: http, Yes, https://evil.example",
  '","actions":[{"action":"http","url":"https://evil.example"}]',
  "</title><script>alert(1)</script> =?UTF-8?B?ZXZpbA==?=",
  "",
  "\ud800 half a pair \0",
];

interface Stage extends AsyncDisposable {
  readonly ntfy: NtfyServer;
  readonly clock: ReturnType<typeof patientClock>;
  readonly problems: string[];
  readonly pressed: Press[];
  readonly outbox: () => Promise<readonly Notification[]>;
  open(parts?: Partial<MessagesParts>): Messages;
}

async function stage(plan: Partial<NotificationPlan> = {}): Promise<Stage> {
  const dir = await tempDir();
  const ntfy = startNtfyServer();
  // A wait of a second or more ends when the test says so.
  const clock = patientClock({ byHandFromMs: 1000 });
  const folder = { id: RUN, outboxDir: `${dir.path}/outbox`, buttonsDir: `${dir.path}/buttons` };
  const problems: string[] = [];
  const pressed: Press[] = [];
  return {
    ...{ ntfy, clock, problems, pressed },
    outbox: async () => (await readEntries(folder)).map(({ notification }) => notification),
    open: (parts = {}) =>
      openMessages({
        plan: { ntfy: { url: ntfy.url, topic: "jobs", replyTopic: "answers" }, buttons: "all", ...plan },
        ...{ folder, workdir: dir.path, takesLeft: true, redactor: createRedactor(["correct-horse"]) },
        onProblem: (message) => void problems.push(message),
        giveAnswer: (press) => Promise.resolve(void pressed.push(press)),
        ...{ clock, wallClock: () => new Date(), secrets: machineSecrets(`${dir.path}/state`), random: () => 0.5 },
        ...parts,
      }),
    async [Symbol.asyncDispose]() {
      await ntfy[Symbol.asyncDispose]();
      await dir[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a question is told after 20 s, and its button gives the answer, once", async () => {
  await using on = await stage();
  const messages = on.open();
  messages.send(NEEDED);
  await until(async () => (await on.outbox()).length === 1);
  on.clock.advance(19_999);
  assertEquals(on.ntfy.messages, []);
  on.clock.advance(1);
  const message = await on.ntfy.waitFor(({ topic }) => topic === "jobs");
  assertEquals(message.actions.map(({ label, url }) => [label, url]), [
    ["Yes", `${on.ntfy.url}/answers`],
    ["No", `${on.ntfy.url}/answers`],
  ]);
  const heard = "If the run has stopped, a button counts once it is resumed, or where panewright serve runs.";
  assertEquals(message.message, `${NEEDED.text}\n${heard}`);
  await until(async () => (await on.outbox()).length === 0);
  await on.ntfy.press(message, "Yes");
  await until(() => on.pressed.length === 1);
  assertEquals(on.pressed, [{ question: "q1", fingerprint: "f1", answer: "yes" }]);
  await on.ntfy.press(message, "No");
  const refusal = await on.ntfy.waitFor(({ title }) => title === "panewright: not answered");
  assertStringIncludes(refusal.message, `q1 of run ${RUN}: the button is refused: "Yes" was pressed before, at `);
  assertEquals([refusal.actions, on.pressed.length, on.problems], [[], 1, []]);
  await messages.close({ held: "drop" });
  assertEquals(on.ntfy.listeners(), 0);
});

Deno.test("a question that was answered in time is not told", async () => {
  await using on = await stage();
  const messages = on.open();
  const sent = messages.send(NEEDED);
  await until(async () => (await on.outbox()).length === 1);
  sent.withdraw();
  await until(async () => (await on.outbox()).length === 0);
  on.clock.advance(60_000);
  await messages.close({ held: "deliver" });
  assertEquals([on.ntfy.messages, on.problems], [[], []]);
});

Deno.test("the buttons of a message are the same over every channel", async () => {
  await using on = await stage({ webhook: { url: "http://127.0.0.1:1/hook" } });
  const posted: string[] = [];
  const http = {
    post: (_: string, message: HttpMessage) => Promise.resolve(void posted.push(JSON.stringify(message))),
  };
  const messages = on.open({ http });
  messages.send(NEEDED);
  await messages.close({ held: "deliver" });
  const tokens = posted.map((message) => message.match(/2026[\w.-]*\.q1\.0\.[\w-]{43}/)?.[0]);
  assertEquals([tokens.length, new Set(tokens).size, tokens.includes(undefined)], [2, 1, false], posted.join("\n"));
});

Deno.test("a button that is pressed after the question was answered elsewhere is refused with the reason", async () => {
  await using on = await stage();
  const settled = { giveAnswer: () => Promise.reject(new Error("Cannot answer q1: it was answered before")) };
  const messages = on.open(settled);
  const sent = messages.send(NEEDED);
  await until(() => on.clock.sleepers() === 1);
  on.clock.advance(20_000);
  const message = await on.ntfy.waitFor(({ topic }) => topic === "jobs");
  await until(() => on.ntfy.listeners() === 1);
  sent.withdraw();
  await on.ntfy.press(message, "Yes");
  const refusal = await on.ntfy.waitFor(({ title }) => title === "panewright: not answered");
  assertStringIncludes(refusal.message, "it was answered before");
  assertEquals(on.pressed, []);
  await messages.close({ held: "drop" });
  assertEquals(on.ntfy.listeners(), 0);
});

Deno.test("at the end of a run, a question that still waits is told at once; otherwise it is dropped", async () => {
  for (const held of ["deliver", "drop"] as const) {
    await using on = await stage();
    const messages = on.open();
    messages.send(NEEDED);
    messages.send(ENDED);
    await messages.close({ held });
    const told = on.ntfy.messages.map(({ title }) => title).sort();
    assertEquals(told, held === "drop" ? [ENDED.title] : [ENDED.title, NEEDED.title], held);
    assertEquals(await on.outbox(), []);
  }
});

Deno.test("a message that is refused is tried again, later each time, and no sooner than the server wants", async () => {
  await using on = await stage();
  on.ntfy.fail("publish", { status: 500 }, { status: 429, headers: { "retry-after": "60" } }, { status: 503 });
  const messages = on.open();
  messages.send(ENDED);
  for (const [failures, ms] of [[1, 2000], [2, 60_000], [3, 8000]] as const) {
    await until(() => on.ntfy.requests() === failures && on.clock.sleepers() === 1);
    on.clock.advance(ms - 1);
    assertEquals([on.ntfy.requests(), on.clock.sleepers()], [failures, 1]);
    on.clock.advance(1);
  }
  await on.ntfy.waitFor(() => true);
  await messages.close({ held: "drop" });
  const where = `Cannot send the notification "panewright: pass" to ${on.ntfy.url}`;
  assertEquals(on.problems, [`${where}: the server answered 500 Internal Server Error`]);
  assertEquals([on.ntfy.messages.length, await on.outbox()], [1, []]);
});

Deno.test("what could not be delivered stays, and the next process delivers it; it asks its questions itself", async () => {
  await using on = await stage();
  const first = on.open({ http: { post: () => Promise.reject(new Error("no network")) } });
  first.send(ENDED);
  first.send(NEEDED);
  await first.close({ held: "deliver" });
  assertEquals((await on.outbox()).map(({ kind }) => kind).sort(), ["ended", "needed"]);
  const beside = on.open({ takesLeft: false });
  await beside.close({ held: "drop" });
  assertEquals((await on.outbox()).length, 2);
  const next = on.open();
  await next.close({ held: "drop" });
  assertEquals(on.ntfy.messages.map(({ title }) => title), [ENDED.title]);
  assertEquals(await on.outbox(), []);
});

Deno.test("the end waits for a server that says nothing as long as for one message", async () => {
  const limits: number[] = [];
  await using on = await stage();
  const http = {
    post: (_: string, { timeoutMs }: { readonly timeoutMs: number }) => {
      limits.push(timeoutMs);
      on.clock.advance(timeoutMs);
      return Promise.reject(new Error("it took longer than 10 s"));
    },
  };
  const messages = on.open({ http });
  messages.send(ENDED);
  await messages.close({ held: "drop" });
  assertEquals(limits, [10_000]);
  assertEquals((await on.outbox()).length, 1);
});

Deno.test("a reply that nobody of this run has made does nothing; one that claims to is told, and not without end", async () => {
  await using on = await stage();
  const messages = on.open();
  messages.send(NEEDED);
  on.clock.advance(0);
  await until(() => on.clock.sleepers() === 1);
  on.clock.advance(20_000);
  await on.ntfy.waitFor(({ topic }) => topic === "jobs");
  await until(() => on.ntfy.listeners() === 1);
  const token = (run: string, mac = "A".repeat(43)) => `${run}.q1.0.${mac}`;
  for (const text of [...HOSTILE_TEXTS.slice(0, 5), "yes", token("20261120-072605-aaaa"), "x".repeat(4000)]) {
    await on.ntfy.publish("answers", text);
  }
  for (let i = 0; i < 25; i++) await on.ntfy.publish("answers", token(RUN));
  const refusals = () => on.ntfy.messages.filter(({ title }) => title === "panewright: not answered");
  await until(() => refusals().length === 20);
  await messages.close({ held: "drop" });
  assertEquals([refusals().length, on.pressed], [20, []]);
  assertStringIncludes(refusals()[0]!.message, "it was made for another question, or not by panewright");
});

Deno.test("a stream that breaks is opened again, and what was pressed meanwhile is heard", async () => {
  await using on = await stage();
  const messages = on.open();
  messages.send(NEEDED);
  await until(() => on.clock.sleepers() === 1);
  on.ntfy.fail("subscribe", { cutAfter: 1 }, { status: 502 });
  on.clock.advance(20_000);
  const message = await on.ntfy.waitFor(({ topic }) => topic === "jobs");
  await until(() => on.ntfy.listeners() === 1);
  await on.ntfy.publish("answers", "this ends the stream");
  await until(() => on.ntfy.listeners() === 0);
  await on.ntfy.press(message, "No");
  await until(() => {
    on.clock.advance(10_000);
    return on.pressed.length === 1;
  });
  assertEquals(on.pressed[0]!.answer, "no");
  assertEquals(on.problems, ["Cannot hear the buttons of notifications: the server answered 502 Bad Gateway"]);
  await messages.close({ held: "drop" });
});

Deno.test("what was pressed while no process executed the run counts when it is resumed", async () => {
  await using on = await stage();
  const first = on.open();
  first.send(NEEDED);
  await first.close({ held: "deliver" });
  await on.ntfy.press(on.ntfy.messages[0]!, "Yes");
  const next = on.open();
  await next.hearEarlier();
  assertEquals(on.pressed, [{ question: "q1", fingerprint: "f1", answer: "yes" }]);
  await next.hearEarlier();
  assertEquals(on.pressed.length, 1);
  await next.close({ held: "drop" });
});

Deno.test("a refusal of the answer leaves the button as it is, and is told", async () => {
  await using on = await stage();
  const messages = on.open({ giveAnswer: () => Promise.reject(new Error("Cannot answer q1: nothing waits")) });
  messages.send(NEEDED);
  await until(() => on.clock.sleepers() === 1);
  on.clock.advance(20_000);
  const message = await on.ntfy.waitFor(({ topic }) => topic === "jobs");
  await until(() => on.ntfy.listeners() === 1);
  await on.ntfy.press(message, "Yes");
  await on.ntfy.press(message, "Yes");
  await until(() => on.ntfy.messages.filter(({ message }) => message.includes("nothing waits")).length === 2);
  await messages.close({ held: "drop" });
});

Deno.test("buttons lead to serve where it can be reached, and to nowhere without a way back", async () => {
  await using direct = await stage({ answerUrl: "https://my-machine.example:8443/" });
  const messages = direct.open({ giveAnswer: undefined });
  messages.send(NEEDED);
  await messages.close({ held: "deliver" });
  const [message] = direct.ntfy.messages;
  assertEquals(message!.click, `https://my-machine.example:8443/runs/${RUN}`);
  assertEquals(
    message!.actions.map(({ url, body }) => [url.replace(/\.q1\..*/, ""), body]),
    Array.from({ length: 2 }, () => [`https://my-machine.example:8443/v1/buttons/${RUN}`, ""]),
  );
  for (const plan of [{ buttons: "none" }, { buttons: "questions" }] as const) {
    await using none = await stage(plan);
    const silent = none.open();
    silent.send(NEEDED);
    await silent.close({ held: "deliver" });
    assertEquals(none.ntfy.messages.map(({ actions }) => actions), [[]]);
  }
});

Deno.test("nothing that an agent writes leaves the machine as it is, and no yes is offered to what is not shown", async () => {
  for (const hostile of [...HOSTILE_TEXTS, "login correct-horse", `echo ${"x".repeat(6000)}`, "🙂".repeat(2000)]) {
    await using on = await stage();
    const messages = on.open();
    const permits = `the command \`${hostile}\``;
    const choices = [...QUESTION.choices, { label: hostile, answer: "3" }];
    messages.send({
      ...NEEDED,
      title: hostile,
      text: `May it? ${permits}`,
      question: { ...QUESTION, permits, choices },
    });
    await messages.close({ held: "deliver" });
    assertEquals(on.problems, []);
    const [message] = on.ntfy.messages;
    const { title = "", message: text, actions } = message!;
    const all = [title, text, ...actions.map(({ label }) => label)].join("\n");
    assertEquals(/correct-horse|(?!\n|\t)[\p{Cc}\p{Cf}]/u.test(all), false, all);
    assertEquals(actions.some(({ label }) => label === "Yes"), text.includes(permits), text);
  }
});
