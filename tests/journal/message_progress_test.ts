import { assertEquals } from "@std/assert";
import { initialProgress } from "../../lib/journal/progress.ts";
import { messageChanged, type OutsideMessageProgress } from "../../lib/journal/message_progress.ts";

Deno.test("of messages that are over the last 20 to end are told of, whenever they had arrived", () => {
  const message = (id: string, second: number): OutsideMessageProgress => {
    const at = new Date(second * 1000).toISOString();
    return { id, worker: "tester", by: "mcp", wantsResponse: true, receivedAt: at, status: "waiting", since: at };
  };
  let messages: readonly OutsideMessageProgress[] = [message("first", 0)];
  for (let n = 1; n <= 30; n++) messages = [...messages, message(`m${n}`, n)];
  const end = (id: string, second: number) => {
    const since = new Date(second * 1000).toISOString();
    messages = messageChanged({ ...initialProgress("run"), messages }, id, { status: "answered", since }).messages;
  };
  for (let n = 1; n <= 30; n++) end(`m${n}`, 100 + n);
  assertEquals([messages.length, messages[0]?.id, messages[1]?.id], [21, "first", "m11"]);
  end("first", 200);
  assertEquals([messages.length, messages[0]?.id, messages[1]?.id], [20, "first", "m12"]);
  // Nothing else makes one of them go.
  const sent = messageChanged({ messages: [...messages, message("new", 201)] }, "new", { status: "sent" }).messages;
  assertEquals(sent.length, 21);
});
