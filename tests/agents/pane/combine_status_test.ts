import { assertEquals } from "@std/assert";
import { combineStatus, LAG_MS, type StatusHistory } from "../../../lib/agents/pane/combine_status.ts";
import type { ReportedState, StatusReport } from "../../../lib/agents/pane/status_source.ts";
import type { Classification } from "../../../lib/screen/classify.ts";
import type { TerminalStatus } from "../../../lib/base/status.ts";

/** 100 s into a session whose last prompt was submitted at 50 s, with a screen that changed just now. */
const NOW: StatusHistory = {
  nowMs: 100_000,
  stillSinceMs: 99_900,
  submittedMs: 50_000,
  disagreeSinceMs: undefined,
  doubtLifted: false,
  quietMs: 8000,
};

const ROW = [{ row: 3, text: "• Hello" }];
const PROCESS = [{ row: -1, text: "zsh" }];

function screen(status: TerminalStatus, more: Partial<Classification> = {}): Classification {
  return { status, rule: "some-rule", evidence: ROW, beaten: [], ...more };
}

const doubtful = screen("completed", { doubtful: { unlessSeen: "title-spinner" } });

function report(state: ReportedState, more: Partial<StatusReport> = {}): StatusReport {
  return { ...state, sinceMs: 60_000, newsMs: 60_000, evidence: "a record", ...more } as StatusReport;
}

const WORKING = report({ state: "working" });
const WAITING = report({ state: "waiting" });
const COMPLETED = report({ state: "at_rest", outcome: "completed" });
const AT_REST = report({ state: "at_rest" });

Deno.test("a process that is gone is an error, whatever the record says", () => {
  for (const one of [WORKING, WAITING, COMPLETED, undefined]) {
    const { status, by } = combineStatus(screen("error", { evidence: PROCESS }), one, NOW);
    assertEquals([status, by], ["error", "screen"]);
  }
});

Deno.test("a dialog that the screen shows is never overruled", () => {
  for (const one of [WORKING, WAITING, COMPLETED, undefined]) {
    for (const disagreeSinceMs of [undefined, 0]) {
      const { status } = combineStatus(screen("waiting_user_answer"), one, { ...NOW, disagreeSinceMs });
      assertEquals(status, "waiting_user_answer");
    }
  }
});

Deno.test("work that is recorded goes before a screen that rests, failed or says nothing", () => {
  for (const shown of [screen("completed"), screen("idle"), screen("error"), screen("unknown"), doubtful]) {
    const { status, by, disagree } = combineStatus(shown, WORKING, NOW);
    assertEquals([status, by, disagree], ["processing", "source", shown.status !== "unknown" && shown !== doubtful]);
  }
  assertEquals(combineStatus(screen("processing"), WORKING, NOW).by, "screen");
});

Deno.test("a source that has fallen silent blocks nothing, unless the screen still moves", () => {
  const old = report({ state: "working" }, { newsMs: 60_000 });
  const late = { ...NOW, nowMs: 400_000 };
  assertEquals(combineStatus(screen("completed"), old, { ...late, stillSinceMs: 70_000 }).status, "completed");
  assertEquals(combineStatus(screen("completed"), old, { ...late, stillSinceMs: 399_000 }).status, "processing");
  const alive = report({ state: "working" }, { newsMs: 390_000 });
  assertEquals(combineStatus(screen("completed"), alive, { ...late, stillSinceMs: 70_000 }).status, "processing");
});

Deno.test("how a turn ended is what its record says", () => {
  for (
    const [outcome, expected] of [["completed", "completed"], ["error", "error"], ["interrupted", "idle"]] as const
  ) {
    for (const shown of [screen("completed"), screen("idle"), screen("error"), screen("unknown"), doubtful]) {
      const { status, disagree } = combineStatus(shown, report({ state: "at_rest", outcome }), NOW);
      assertEquals([status, disagree], [expected, false]);
    }
  }
});

Deno.test("where the record does not say how a turn ended, the screen does", () => {
  for (const status of ["idle", "completed", "error"] as const) {
    assertEquals(combineStatus(screen(status), AT_REST, NOW).status, status);
  }
  assertEquals(combineStatus(doubtful, AT_REST, NOW).status, "completed");
  assertEquals(combineStatus(screen("unknown"), AT_REST, NOW).status, "idle");
});

Deno.test("a rest that is older than the last prompt says nothing about its turn", () => {
  const stale = report({ state: "at_rest", outcome: "completed" }, { sinceMs: 49_999 });
  assertEquals(combineStatus(doubtful, stale, NOW), { status: "processing", by: "quiet", disagree: false });
  assertEquals(combineStatus(screen("processing"), stale, { ...NOW, disagreeSinceMs: 0 }).status, "processing");
  assertEquals(combineStatus(screen("idle"), stale, NOW).by, "screen");
});

Deno.test("a screen at work counts against a recorded rest for a moment, and no longer", () => {
  const at = (agoMs: number | undefined) =>
    combineStatus(screen("processing"), COMPLETED, {
      ...NOW,
      disagreeSinceMs: agoMs === undefined ? undefined : NOW.nowMs - agoMs,
    });
  assertEquals(at(undefined), { status: "processing", by: "screen", disagree: true });
  assertEquals(at(LAG_MS - 1), { status: "processing", by: "screen", disagree: true });
  assertEquals(at(LAG_MS), { status: "completed", by: "source", disagree: true });
});

Deno.test("a dialog that is announced but does not show yet is work, and after a while a dialog nobody can read", () => {
  const announced = (agoMs: number) => report({ state: "waiting" }, { sinceMs: NOW.nowMs - agoMs });
  for (const shown of [screen("processing"), screen("completed"), doubtful]) {
    assertEquals(combineStatus(shown, announced(500), NOW).status, "processing");
    assertEquals(combineStatus(shown, announced(10_000), NOW).status, "waiting_user_answer");
  }
});

Deno.test("a doubtful screen without a source is believed when it stands still, or has shown what lifts the doubt", () => {
  const after = (stillMs: number, doubtLifted = false) =>
    combineStatus(doubtful, undefined, { ...NOW, stillSinceMs: NOW.nowMs - stillMs, doubtLifted });
  assertEquals(after(0), { status: "processing", by: "quiet", disagree: false });
  assertEquals(after(7999).status, "processing");
  assertEquals(after(8000), { status: "completed", by: "screen", disagree: false });
  assertEquals(after(0, true), { status: "completed", by: "screen", disagree: false });
  const always = screen("completed", { doubtful: {} });
  assertEquals(combineStatus(always, undefined, { ...NOW, doubtLifted: true }).status, "processing");
  assertEquals(combineStatus(screen("completed"), undefined, NOW).status, "completed");
});
