import { assertEquals } from "@std/assert";
import { createScript, followScenarios, type ModelRequest } from "./script.ts";
import { splitIntoReplies, type Turn } from "./steps.ts";

const say = (text: string) => ({ do: "say", text }) as const;
const shell = (command: string) => ({ do: "shell", command }) as const;

function request(prompts: readonly string[], thread = "one"): ModelRequest {
  return { n: 1, scenario: "default", thread, model: "any", prompts, body: {} };
}

Deno.test("splitIntoReplies() ends a reply after a run of tool calls", () => {
  const turn: Turn = [say("first"), shell("ls"), shell("pwd"), { do: "wait", ms: 5 }, say("last")];
  assertEquals(splitIntoReplies(turn), [
    [say("first"), shell("ls"), shell("pwd")],
    [{ do: "wait", ms: 5 }, say("last")],
  ]);
});

Deno.test("splitIntoReplies() repeats a refusal, each time after the wait before it", () => {
  const wait = { do: "wait", ms: 5 } as const;
  const refuse = { do: "refuse", status: 500, times: 2 } as const;
  assertEquals(splitIntoReplies([wait, refuse, say("recovered")]), [[wait, refuse], [wait, refuse], [
    say("recovered"),
  ]]);
});

Deno.test("createScript() goes on with the turn until the prompts change", async () => {
  const script = createScript(followScenarios({ default: [[shell("ls"), say("one")], [say("two")]] }));
  assertEquals(await script.next(request(["a"])), { steps: [shell("ls")], endsTurn: false });
  assertEquals(await script.next(request(["a"])), { steps: [say("one")], endsTurn: true });
  assertEquals(await script.next(request(["a", "b"])), { steps: [say("two")], endsTurn: true });
});

Deno.test("createScript() drops the rest of a turn when a new prompt comes", async () => {
  const script = createScript(followScenarios({ default: [[shell("ls"), say("one")], [say("two")]] }));
  await script.next(request(["a"]));
  assertEquals((await script.next(request(["a", "b"]))).steps, [say("two")]);
});

Deno.test("createScript() keeps conversations apart", async () => {
  const script = createScript(followScenarios({ default: [[say("one")], [say("two")]] }));
  await script.next(request(["a"], "first"));
  assertEquals((await script.next(request(["a"], "second"))).steps, [say("one")]);
});

Deno.test("createScript() refuses every retry when a refusal ends the turn", async () => {
  const refuse = { do: "refuse", status: 400 } as const;
  const script = createScript(followScenarios({ default: [[refuse], [say("two")]] }));
  for (let i = 0; i < 3; i++) assertEquals((await script.next(request(["a"]))).steps, [refuse]);
  assertEquals((await script.next(request(["a", "b"]))).steps, [say("two")]);
});
