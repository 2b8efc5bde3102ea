import { assertEquals, assertMatch } from "@std/assert";
import type { HookMail } from "../../../lib/agents/pane/hook_witness.ts";
import { createHookWord } from "../../../lib/agents/pane/hook_witness.ts";
import type { ReportedState, StatusReport } from "../../../lib/agents/pane/status_source.ts";
import { createFakeClock } from "../../support/fake_clock.ts";

/** A record and hooks that say what the test tells them to, on a clock that the test moves. */
function open() {
  const clock = createFakeClock();
  let recorded: StatusReport | undefined;
  let sessionId: string | undefined = "s";
  let mail: { text: string; writtenAt: number }[] = [];
  const box: HookMail = {
    take: () => mail.splice(0),
    onEnd: () => ({ [Symbol.dispose]() {} }),
  };
  const word = createHookWord({ mail: box, clock });
  return {
    clock,
    expectPrompt: () => word.expectPrompt(sessionId),
    async wait(ms: number) {
      await clock.runUntilSettled(clock.sleep(ms));
    },
    write(state: ReportedState) {
      recorded = { ...state, sinceMs: clock.now(), newsMs: clock.now(), evidence: state.state };
    },
    lose: () => recorded = undefined,
    name: (id: string | undefined) => sessionId = id,
    hook(name: string, turn: string, fields: Readonly<Record<string, unknown>> = {}) {
      const payload = { hook_event_name: name, session_id: "s", prompt_id: turn, ...fields };
      mail = [...mail, { text: JSON.stringify(payload), writtenAt: Date.now() }];
    },
    leave: (text: string) => void mail.push({ text, writtenAt: Date.now() }),
    weigh: () => word.weigh(recorded, sessionId),
    says() {
      const report = word.weigh(recorded, sessionId);
      return report === undefined ? "nothing" : `${report.state} (${report.evidence})`;
    },
    [Symbol.dispose]: () => clock[Symbol.dispose](),
  };
}

/** One whose prompt was taken a second ago, as record and hook say. */
async function openAtWork() {
  const agent = open();
  agent.write({ state: "at_rest" });
  agent.expectPrompt();
  agent.hook("UserPromptSubmit", "1");
  agent.write({ state: "working" });
  assertEquals(agent.says(), "working (working, hook UserPromptSubmit of turn 1)");
  await agent.wait(1000);
  return agent;
}

Deno.test("a hook is ahead of the record by as much as that may lag, and then the record counts", async () => {
  using agent = open();
  agent.write({ state: "at_rest" });
  await agent.wait(5000);
  agent.expectPrompt();
  assertEquals(agent.says(), "at_rest (at_rest)");
  agent.hook("UserPromptSubmit", "1");
  assertEquals(agent.says(), "working (hook UserPromptSubmit of turn 1)");
  await agent.wait(40);
  agent.write({ state: "working" });
  await agent.wait(5000);
  agent.hook("Stop", "1");
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
  await agent.wait(140);
  agent.write({ state: "at_rest" });
  assertEquals(agent.says(), "at_rest (at_rest, hook Stop of turn 1)");
  await agent.wait(2000);
  assertEquals(agent.says(), "at_rest (at_rest)");
});

Deno.test("of a turn so short that the record says nothing of it the hook tells when and how it ended", async () => {
  using agent = open();
  agent.write({ state: "at_rest" });
  await agent.wait(5000);
  const promptedMs = agent.clock.now();
  agent.expectPrompt();
  agent.hook("UserPromptSubmit", "1");
  agent.hook("StopFailure", "1");
  const report = agent.weigh();
  assertEquals([report?.state, report?.state === "at_rest" && report.outcome], ["at_rest", "error"]);
  assertEquals(report?.sinceMs, promptedMs);
});

Deno.test("a turn that the record does not see end goes by the record again", async () => {
  using agent = await openAtWork();
  agent.hook("Stop", "1");
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
  await agent.wait(1999);
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
  await agent.wait(1);
  assertEquals(agent.says(), "working (working)");
});

Deno.test("what the record says later than the hook counts", async () => {
  using agent = await openAtWork();
  agent.hook("Stop", "1");
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
  await agent.wait(100);
  agent.write({ state: "waiting" });
  assertEquals(agent.says(), "waiting (waiting)");
});

Deno.test("nothing but the end of the agent's own turn under way ends it", async () => {
  for (
    const [what, name, turn, fields] of [
      ["the end of an earlier turn", "Stop", "0", {}],
      ["the end of a turn without a name", "Stop", "1", { prompt_id: undefined }],
      ["a sub-agent's end", "SubagentStop", "1", {}],
      ["a sub-agent's turn", "Stop", "1", { agent_id: "a1" }],
      ["another session", "Stop", "1", { session_id: "other" }],
      ["no session", "Stop", "1", { session_id: undefined }],
      ["another event", "Notification", "1", {}],
      ["a name of every object", "constructor", "1", {}],
      ["an agent in the background", "Stop", "1", { background_tasks: [{ type: "subagent", status: "running" }] }],
    ] as const
  ) {
    using agent = await openAtWork();
    agent.hook(name, turn, fields);
    assertMatch(agent.says(), /^working \(working/, what);
  }
});

Deno.test("an end that comes in late, after the next prompt was submitted or taken, ends nothing", async () => {
  using agent = await openAtWork();
  agent.expectPrompt();
  agent.hook("Stop", "1");
  assertMatch(agent.says(), /^working \(working/);
  agent.hook("UserPromptSubmit", "2");
  agent.hook("Stop", "1");
  assertEquals(agent.says(), "working (working, hook UserPromptSubmit of turn 2)");
  agent.hook("Stop", "2");
  assertEquals(agent.says(), "at_rest (hook Stop of turn 2)");
});

Deno.test("an end counts once, unless the turn has continued since", async () => {
  using agent = await openAtWork();
  agent.hook("Stop", "1");
  agent.says();
  await agent.wait(2000);
  agent.hook("Stop", "1");
  assertEquals(agent.says(), "working (working)");
  agent.hook("Stop", "1", { stop_hook_active: true });
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
});

Deno.test("a prompt that is told of twice does not begin the turn anew", async () => {
  using agent = await openAtWork();
  agent.hook("Stop", "1");
  agent.hook("UserPromptSubmit", "1");
  assertEquals(agent.says(), "at_rest (hook Stop of turn 1)");
});

Deno.test("without a record nothing bears a hook out; events wait until the record names its session", async () => {
  using agent = open();
  agent.name(undefined);
  agent.expectPrompt();
  agent.hook("UserPromptSubmit", "1");
  agent.hook("UserPromptSubmit", "9", { session_id: "other" });
  agent.hook("Stop", "9", { session_id: "other" });
  assertEquals(agent.says(), "nothing");
  await agent.wait(300);
  agent.name("s");
  agent.write({ state: "working" });
  assertEquals(agent.says(), "working (working, hook UserPromptSubmit of turn 1)");
  agent.lose();
  assertEquals(agent.says(), "nothing");
});

Deno.test("what is no event changes nothing", async () => {
  using agent = await openAtWork();
  for (const text of ["", "{", "[]", "null", '"Stop"', '{"hook_event_name":["Stop"],"session_id":"s"}', "\u0000"]) {
    agent.leave(text);
  }
  assertMatch(agent.says(), /^working \(working/);
});
