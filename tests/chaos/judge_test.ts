import { assertEquals } from "@std/assert";
import { type EndedCommand, KILLED_CODE } from "./command.ts";
import { judgeCommand } from "./judge.ts";
import type { Blow, Strike } from "./plan.ts";
import type { SeenRecord } from "./run_so_far.ts";

const blow = (strike: Strike): Blow => ({ strikes: [strike], pauseMs: 0, namesRun: false });
const ON_PANEWRIGHT = blow({ target: "panewright", afterMs: 1 });
const ON_AGENT = blow({ target: "agent", afterMs: 1, pick: 0 });
const HINT = "go on with: panewright resume 20261120-072600-3fa9";
const FAILED: readonly SeenRecord[] = [{ type: "run_finished", outcome: "error", reason: "The analyst is gone" }];

function judge(
  command: Partial<EndedCommand>,
  { blow, records = [] }: { readonly blow?: Blow; readonly records?: readonly SeenRecord[] } = {},
): string[] {
  return judgeCommand({ code: 0, stdout: "", stderr: "", hits: [], ...command }, { blow, records });
}

Deno.test("commands that end as they may are not complained about", () => {
  assertEquals(judge({}), []);
  assertEquals(judge({}, { records: [{ type: "run_finished", outcome: "pass" }] }), []);
  assertEquals(judge({}, { blow: ON_PANEWRIGHT }), []);
  assertEquals(judge({ code: KILLED_CODE, hits: ["panewright 7"] }, { blow: ON_PANEWRIGHT }), []);
  assertEquals(judge({ hits: ["agent 8"] }, { blow: ON_AGENT }), []);
  assertEquals(judge({ code: 1, hits: ["agent 8"], stdout: HINT }, { blow: ON_AGENT, records: FAILED }), []);
  assertEquals(judge({ code: 1, hits: ["tmux server 9"], stderr: HINT }, { blow: ON_AGENT, records: FAILED }), []);
});

Deno.test("commands that end otherwise are told", () => {
  const because = 'a command whose agents were left alone came to the outcome "error": The analyst is gone';
  const wrong: readonly (readonly [string[], string[]])[] = [
    [judge({ code: undefined }), ["a command did not end"]],
    [judge({ code: 1 }), ["a command that nothing was done to ended with 1"]],
    [judge({ code: 1 }, { blow: ON_PANEWRIGHT }), ["a command that nothing was done to ended with 1"]],
    [judge({ code: KILLED_CODE }, { blow: ON_AGENT }), ["a command that nothing was done to ended with 137"]],
    [judge({ code: 0 }, { records: FAILED }), [because]],
    [judge({ code: KILLED_CODE, hits: ["panewright 7"] }, { blow: ON_PANEWRIGHT, records: FAILED }), [because]],
    [judge({ code: 3, hits: ["agent 8"], stdout: HINT }), ["a command whose agents were hit ended with 3"]],
    [judge({ code: 1, hits: ["agent 8"] }), ["a command whose agents were hit does not say how to resume"]],
    [judge({ stderr: "Error: x\n    at file:///a.ts:1:2\n" }), ["a command showed a stack trace"]],
  ];
  for (const [said, expected] of wrong) assertEquals(said, expected);
});
