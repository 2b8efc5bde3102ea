import { assertEquals } from "@std/assert";
import { parseClaudeStatus } from "../../../lib/agents/claude_code/status_file.ts";

/** As 2.1.328 writes it. */
const RECORDED = {
  pid: 31806,
  sessionId: "3b1f0f8e-0f56-4f8b-8d3c-1c3b8a0d7a11",
  cwd: "/abs/proj",
  startedAt: 1795155950000,
  procStart: "295112",
  version: "2.1.328",
  kind: "interactive",
  entrypoint: "cli",
  tmux: "lab-jl:@0.%0",
  name: "jl-09",
  nameSource: "derived",
  status: "waiting",
  waitingFor: "permission prompt",
  updatedAt: 1795155956030,
  statusUpdatedAt: 1795155956026,
};

Deno.test("a status file says what its process does, since when and for whom", () => {
  assertEquals(parseClaudeStatus(JSON.stringify(RECORDED)), {
    pid: 31806,
    procStart: "295112",
    sessionId: RECORDED.sessionId,
    cwd: "/abs/proj",
    reported: { state: "waiting" },
    words: "waiting (permission prompt)",
    statusSince: 1795155956026,
    updatedAt: 1795155956030,
  });
  const stateOf = (status: string) => parseClaudeStatus(JSON.stringify({ ...RECORDED, status }))?.reported?.state;
  assertEquals(["idle", "shell", "busy", "waiting", "dreaming"].map(stateOf), [
    "at_rest",
    "at_rest",
    "working",
    "waiting",
    undefined,
  ]);
});

Deno.test("a file of an older version, half a file and something else are no status", () => {
  const text = JSON.stringify(RECORDED);
  for (let length = 0; length < text.length; length++) {
    assertEquals(parseClaudeStatus(text.slice(0, length)), undefined);
  }
  const { status: _status, ...older } = RECORDED;
  for (const value of [older, [], null, 7, { ...RECORDED, pid: "31806" }]) {
    assertEquals(parseClaudeStatus(JSON.stringify(value)), undefined);
  }
});
