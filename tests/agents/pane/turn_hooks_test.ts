import { assertEquals } from "@std/assert";
import { turnHooksOf } from "../../../lib/agents/pane/turn_hooks.ts";
import type { SpooledMessage } from "../../../lib/agents/spool.ts";

/** A spool that the test fills, and that tells of arrivals when the test wants. */
function open() {
  let lying: SpooledMessage[] = [];
  const listeners = new Set<() => void>();
  const hooks = turnHooksOf({
    commandFor: (sender) => `leave ${sender}`,
    take: () => lying.splice(0),
    onArrival(_sender, listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  }, "tester");
  return {
    hooks,
    leave(name: string) {
      lying = [...lying, { text: JSON.stringify({ hook_event_name: name, session_id: "s" }), writtenAt: 0 }];
    },
    arrive: () => listeners.forEach((listener) => listener()),
    texts: () => hooks.hookMail.take().map(({ text }) => JSON.parse(text).hook_event_name),
  };
}

Deno.test("only ends are worth a look, each once, whoever finds them first, and nothing is lost", () => {
  const { hooks, leave, arrive, texts } = open();
  let looks = 0;
  const listening = hooks.hookMail.onEnd(() => looks++);
  leave("UserPromptSubmit");
  arrive();
  assertEquals(looks, 0);
  leave("Stop");
  arrive();
  arrive();
  assertEquals([looks, texts(), texts()], [1, ["UserPromptSubmit", "Stop"], []]);
  leave("StopFailure");
  assertEquals([texts(), looks], [["StopFailure"], 2]);
  arrive();
  assertEquals(looks, 2);
  listening[Symbol.dispose]();
  leave("Stop");
  arrive();
  assertEquals([looks, texts()], [2, ["Stop"]]);
  assertEquals(hooks.turnHook, { command: "leave tester", timeoutSeconds: 5 });
});
