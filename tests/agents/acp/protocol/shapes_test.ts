import { assertEquals } from "@std/assert";
import { readPermission, readUpdate } from "../../../../lib/agents/acp/protocol/shapes.ts";

/** How a tool call with these fields is read: its content and locations, or that it is malformed. */
function readCall(fields: Readonly<Record<string, unknown>>): unknown {
  const toolCall = { toolCallId: "t", title: "edit", ...fields };
  const read = readUpdate({ sessionId: "s", update: { sessionUpdate: "tool_call", ...toolCall } });
  const request = readPermission({ sessionId: "s", toolCall, options: [] });
  // What is malformed as an update is malformed as a request, and the other way round.
  assertEquals(request === undefined, read.type === "malformed");
  if (request === undefined) return "malformed";
  const { content, locations } = request.toolCall;
  return { ...(content ? { content } : {}), ...(locations ? { locations } : {}) };
}

const diff = { type: "diff", path: "/a", oldText: "x", newText: "y" };

Deno.test("security: a file that a tool call names is never left out, however wrong the rest of it is", () => {
  assertEquals(readCall({ content: [diff, { type: "diff", path: "/b", newText: null }] }), {
    content: [diff, { type: "diff", path: "/b", newText: "", oldText: null }],
  });
  assertEquals(readCall({ content: [diff, { type: "diff", path: ["/b"], newText: "" }] }), "malformed");
  assertEquals(readCall({ content: [diff, { path: 7 }] }), "malformed");
  assertEquals(readCall({ content: diff }), "malformed");
  assertEquals(readCall({ content: [diff, "/b"] }), "malformed");
  assertEquals(readCall({ locations: [{ path: "/a" }, { path: null }] }), "malformed");
  assertEquals(readCall({ locations: { path: "/a" } }), "malformed");
  assertEquals(readCall({ locations: [{ path: "/a", line: "seven" }] }), { locations: [{ path: "/a" }] });
});

Deno.test("content of a type that is not known stays, and what is malformed of a known one is left out", () => {
  for (const type of ["hologram", "constructor", "__proto__"]) {
    assertEquals(readCall({ content: [diff, { type, x: 1 }] }), { content: [diff, { type, x: 1 }] });
  }
  assertEquals(readCall({ content: [{ type: "content", content: { type: "text" } }, diff] }), { content: [diff] });
  assertEquals(readCall({ content: null, locations: null }), {});
});

Deno.test("an update whose kind is a name of every object is unknown", () => {
  for (const kind of ["constructor", "toString", "__proto__"]) {
    const update = JSON.parse(`{"sessionUpdate":"${kind}"}`);
    assertEquals(readUpdate({ sessionId: "s", update }), { type: "unknown", kind });
  }
});

Deno.test("numbers that are none, or less than nothing, count for nothing", () => {
  const read = (fields: string) =>
    readUpdate(JSON.parse(`{"sessionId":"s","update":{"sessionUpdate":"usage_update",${fields}}}`));
  const told = (cost: string) => {
    const update = read(`"used":1,"size":2,"cost":{"amount":${cost},"currency":"USD"}`);
    return update.type === "update" && "cost" in update.notification.update;
  };
  assertEquals(["0.5", "0", "1e999", "-5", "null"].map(told), [true, true, false, false, false]);
  assertEquals(["1e999", "-1"].map((used) => read(`"used":${used},"size":2`).type), ["malformed", "malformed"]);
});
