import { assertEquals } from "@std/assert";
import { readPermission } from "../../../../lib/agents/acp/protocol/shapes.ts";
import { readUpdate } from "../../../../lib/agents/acp/protocol/update.ts";

/** How a tool call with these fields is read: its diffs, words and locations, or that it is malformed. */
function readCall(fields: Readonly<Record<string, unknown>>): unknown {
  const toolCall = { toolCallId: "t", title: "edit", ...fields };
  const read = readUpdate({ sessionId: "s", update: { sessionUpdate: "tool_call", ...toolCall } });
  const request = readPermission({ sessionId: "s", toolCall, options: [] });
  // What is malformed as an update is malformed as a request, and the other way round.
  assertEquals(request === undefined, "problem" in read);
  if (request === undefined) return "malformed";
  const { id: _, title: _1, ...rest } = request.call;
  return rest;
}

const diff = { type: "diff", path: "/a", oldText: "x", newText: "y" };

Deno.test("security: a file that a tool call names is never left out, however wrong the rest of it is", () => {
  const table: readonly (readonly [Readonly<Record<string, unknown>>, unknown])[] = [
    [{ content: [diff, { type: "diff", path: "/b", newText: null }] }, { diffs: ["/a", "/b"] }],
    [{ content: [diff, { type: "diff", path: ["/b"], newText: "" }] }, "malformed"],
    [{ content: [diff, { path: 7 }] }, "malformed"],
    [{ content: diff }, "malformed"],
    [{ content: [diff, "/b"] }, "malformed"],
    [{ locations: [{ path: "/a" }, { path: null }] }, "malformed"],
    [{ locations: { path: "/a" } }, "malformed"],
    [{ locations: [{ path: "/a", line: "seven" }] }, { locations: ["/a"] }],
    // What is malformed of a known content is left out, and content of a type that is not known is kept as it came.
    ...["hologram", "constructor", "__proto__"].map((type) =>
      [{ content: [diff, { type, x: 1 }] }, { diffs: ["/a"], extra: { contents: [{ type, x: 1 }] } }] as const
    ),
    [{ content: [{ type: "content", content: { type: "text" } }, diff] }, { diffs: ["/a"] }],
    [{ content: null, locations: null }, {}],
  ];
  for (const [fields, read] of table) assertEquals(readCall(fields), read, JSON.stringify(fields));
});

Deno.test("an update whose kind is a name of every object is unknown", () => {
  for (const kind of ["constructor", "toString", "__proto__"]) {
    const update = JSON.parse(`{"sessionUpdate":"${kind}"}`);
    assertEquals(readUpdate({ sessionId: "s", update }), { problem: "unknown", kind });
  }
});

Deno.test("numbers that are none, or less than nothing, count for nothing", () => {
  const read = (fields: string) =>
    readUpdate(JSON.parse(`{"sessionId":"s","update":{"sessionUpdate":"usage_update",${fields}}}`));
  const told = (cost: string) => {
    const update = read(`"used":1,"size":2,"cost":{"amount":${cost},"currency":"USD"}`);
    return "update" in update && "cost" in update.update;
  };
  assertEquals(["0.5", "0", "1e999", "-5", "null"].map(told), [true, true, false, false, false]);
  assertEquals(["1e999", "-1"].map((used) => "problem" in read(`"used":${used},"size":2`)), [true, true]);
});
