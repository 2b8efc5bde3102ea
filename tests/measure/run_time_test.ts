import { assertEquals, assertThrows } from "@std/assert";
import { type ObservedRun, PARTS, runTimeOf } from "./run_time.ts";

function at(ms: number, record: Readonly<Record<string, string>> & { readonly type: string }) {
  return { at: new Date(ms).toISOString(), ...record };
}

function turn(role: string, times: readonly [due: number, paste: number, enter: number, proof: number, end: number]) {
  const [due, paste, enter, proof, end] = times;
  return [
    at(due, { type: "turn_started", role }),
    at(paste, { type: "message_sending", role, step: "paste" }),
    at(enter, { type: "message_sending", role, step: "enter" }),
    at(proof, { type: "message_sent", role }),
    at(end, { type: "response_received", role }),
  ];
}

const RUN: ObservedRun = {
  process: { startedAt: 1000, endedAt: 9000 },
  records: [
    at(1100, { type: "run_started" }),
    at(1200, { type: "agent_starting", role: "analyst" }),
    at(1210, { type: "agent_starting", role: "tester" }),
    at(2000, { type: "agent_ready", role: "analyst" }),
    at(2200, { type: "agent_ready", role: "tester" }),
    ...turn("analyst", [2210, 3210, 3400, 3450, 4200]),
    ...turn("tester", [4205, 4225, 4400, 4480, 6100]),
    ...turn("analyst", [6110, 6140, 6300, 6360, 8000]),
  ],
  // What came before a turn, or after it, is another one's.
  modelEnds: [1500, 4000, 5000, 6000, 7500],
  cliEnds: [4080, 6020],
};

Deno.test("the parts of a run are the run, and what only the CLIs take is left out", () => {
  const { parts, ownMs, strictMs, wholeMs, turns } = runTimeOf(RUN);
  assertEquals(parts, {
    program: 200,
    starting: 1000,
    "first prompts": 1000 + 20,
    "later prompts": 30,
    "paste to Enter": 190 + 175 + 160,
    proof: 50 + 80 + 60,
    turn: 550 + 1520 + 1140,
    // The CLI's record of the last turn came later than the response was consumed.
    drawing: 80 + 20 + 0,
    consuming: 120 + 80 + 500,
    between: 10 + 5 + 10,
    ending: 1000,
  });
  assertEquals(PARTS.reduce((sum, part) => sum + parts[part], 0), wholeMs);
  assertEquals([wholeMs, ownMs, strictMs], [8000, 8000 - 1000 - 3210 - 100, 8000 - 3210]);
  assertEquals(turns, 3);
});

Deno.test("a run whose turns took more than one prompt is not measured", () => {
  const reminder = at(8001, { type: "message_sending", role: "analyst", what: "reminder", step: "paste" });
  assertThrows(() => runTimeOf({ ...RUN, records: [...RUN.records, reminder] }), TypeError, "3 turns, 4, 3, 3, 3");
  assertThrows(() => runTimeOf({ ...RUN, modelEnds: [4000] }), TypeError, "turn 2 has no end");
});
