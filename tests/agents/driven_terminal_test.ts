import { assert, assertEquals, assertRejects } from "@std/assert";
import { AgentAtWorkError, HumanInterventionRequiredError, RuntimeError } from "../../lib/base/errors.ts";
import { DrivenTerminal } from "../../lib/agents/driven_terminal.ts";
import { createFakeClock, type FakeClock } from "../support/fake_clock.ts";
import { startToy } from "./acp/support.ts";

/** A terminal over a toy agent; `response.isThere` says whether there is a response. */
async function open(clock: FakeClock) {
  const { agent, toy } = await startToy({ clock });
  const response = { isThere: false };
  return { agent, toy, response, terminal: new DrivenTerminal({ agent, hasResponse: () => response.isThere, clock }) };
}

async function rule(terminal: DrivenTerminal): Promise<string> {
  const { status, rule } = await terminal.status();
  return `${status} ${rule}`;
}

Deno.test("the status is the agent's own word, and its process counts more", async () => {
  using clock = createFakeClock();
  const { toy, terminal } = await open(clock);
  assertEquals(await rule(terminal), "idle acp.session");
  await terminal.submit("Go");
  assertEquals(await rule(terminal), "processing acp.turn");
  void toy.ask("npm test");
  assertEquals(await rule(terminal), "waiting_user_answer acp.request");
  await terminal.pending()[0]!.answer({ type: "allow" });
  await toy.reply();
  assertEquals(await rule(terminal), "completed acp.stop_reason");
  toy.end({ kind: "exited", code: 3 });
  await Promise.resolve();
  assertEquals(await rule(terminal), "error acp.process");
  assert((await terminal.describeEnd())?.includes("3"));
});

Deno.test("an end that was lost: silence alone ends nothing, silence with a response does", async () => {
  using clock = createFakeClock();
  const { toy, response, terminal } = await open(clock);
  await terminal.submit("Go");
  toy.say("I begin.");
  response.isThere = true;
  await clock.runUntilSettled(clock.sleep(19_000));
  assertEquals(await rule(terminal), "processing acp.turn");
  await clock.runUntilSettled(clock.sleep(2000));
  assertEquals(await rule(terminal), "completed acp.response");
  response.isThere = false;
  assertEquals(await rule(terminal), "processing acp.turn");
});

Deno.test("a turn whose response was taken is cancelled; an agent that does not end it then is ended", async () => {
  using clock = createFakeClock();
  const obedient = await open(clock);
  await obedient.terminal.submit("Go");
  const cancelled = clock.runUntilSettled(obedient.terminal.endTurn());
  await obedient.toy.reply("cancelled");
  await cancelled;
  assertEquals(obedient.toy.asked.filter((what) => what === "cancel").length, 1);
  assertEquals(await obedient.terminal.describeEnd(), undefined);

  const stubborn = await open(clock);
  await stubborn.terminal.submit("Go");
  await clock.runUntilSettled(stubborn.terminal.endTurn());
  assertEquals(
    await stubborn.terminal.describeEnd(),
    "it never reported the end of its turn, not even when the turn was cancelled",
  );
  await assertRejects(() => stubborn.terminal.submit("Go on"), RuntimeError);
});

Deno.test("nothing is announced that is not sent: an agent at work, one that waits, one that has ended", async () => {
  using clock = createFakeClock();
  const { toy, terminal } = await open(clock);
  const steps: string[] = [];
  const onStep = (step: string) => void steps.push(step);
  await terminal.submit("Go", { onStep });
  await assertRejects(() => terminal.submit("Again", { onStep }), AgentAtWorkError);
  void toy.ask("npm test");
  await assertRejects(() => terminal.submit("Again", { onStep }), HumanInterventionRequiredError);
  toy.end({ kind: "exited", code: 0 });
  await Promise.resolve();
  await assertRejects(() => terminal.submit("Again", { onStep }), RuntimeError);
  assertEquals(steps, ["enter"]);
  assertEquals(toy.asked.filter((what) => what.startsWith("prompt")), ["prompt Go"]);
});

Deno.test("a hint comes with what it does or waits for, not with each word that it says", async () => {
  using clock = createFakeClock();
  const { toy, terminal } = await open(clock);
  const hints: string[] = [];
  using _ = terminal.wakeSources[0]!.onHint((hint) => hints.push(hint));
  await terminal.submit("Go");
  const before = hints.length;
  for (const word of ["one", "two", "three"]) toy.say(word);
  assertEquals(hints.length, before);
  void toy.ask("npm test");
  assertEquals(hints.slice(before), ["at_once"]);
});

Deno.test("an agent that acted without asking is let do nothing more", async () => {
  using clock = createFakeClock();
  const { toy, terminal } = await open(clock);
  await terminal.submit("Go");
  toy.update({
    ...{ sessionUpdate: "tool_call", toolCallId: "t1", title: "rm", kind: "execute", status: "completed" },
    rawInput: { command: "rm -rf x" },
  });
  await assertRejects(() => terminal.status(), HumanInterventionRequiredError, "rm -rf x");
  await assertRejects(() => terminal.submit("Go on"), HumanInterventionRequiredError);
});

Deno.test("what each process has used is counted from its own beginning", async () => {
  using clock = createFakeClock();
  const { agent, terminal } = await open(clock);
  assertEquals(await terminal.usage(), { usage: {}, sessionId: `s-new@${agent.launchedAtMs}` });
});
