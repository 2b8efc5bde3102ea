import { assertEquals } from "@std/assert";
import { ToldCalls } from "../../../lib/agents/process/told_calls.ts";

type Source = Parameters<ToldCalls["lacks"]>[0]["source"];

/** Whether a call of a command lacks its hook once it has ended. */
function lacks(calls: ToldCalls, source: Source, id: string, end: { exitCode?: number } = { exitCode: 0 }): boolean {
  const commands = [{ command: "ls", isCertain: true }];
  return calls.lacks({ type: "called", source, id, commands }) ||
    calls.lacks({ type: "ended", source, id, exitCode: end.exitCode, output: "" });
}

Deno.test("a call that has run although no hook was ever run lacks it", () => {
  assertEquals(lacks(new ToldCalls(), "call", "c1"), true);
});

Deno.test("one that did not come to run, or runs still, lacks nothing", () => {
  for (const end of [{ exitCode: -1 }, {}]) assertEquals(lacks(new ToldCalls(), "call", "c1", end), false);
});

Deno.test("hooks that are switched off in between are noticed at the next call", () => {
  const calls = new ToldCalls();
  calls.heard("c1");
  assertEquals([lacks(calls, "call", "c1"), lacks(calls, "call", "c2")], [false, true]);
});

Deno.test("a source with ids of its own says only whether hooks run at all", () => {
  const calls = new ToldCalls();
  calls.heard("exec-1");
  const told = (["call", "execution", "stream"] as const).map((source) => lacks(calls, source, `${source}-1`));
  assertEquals(told, [false, false, false]);
  assertEquals([lacks(calls, "execution", "exec-1"), lacks(calls, "execution", "exec-2")], [false, true]);
  assertEquals(lacks(calls, "call", "call-2"), false);
});
