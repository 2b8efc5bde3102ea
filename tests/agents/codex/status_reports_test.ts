import { assertEquals } from "@std/assert";
import { laterReport, StatusReports } from "../../../lib/agents/codex/status_reports.ts";
import type { ReportedState, StatusReport } from "../../../lib/agents/pane/status_source.ts";
import type { PaneEvent, PaneEvents } from "../../../lib/tmux/pane_events.ts";
import { stillClock } from "../../support/still_clock.ts";

/** A session log and a pane that say what the test tells them to. */
function open() {
  const clock = stillClock(1000);
  const listeners = new Set<(event: PaneEvent) => void>();
  let logged: StatusReport | undefined;
  const events: PaneEvents = {
    changeOf: () => undefined,
    watch(_paneId, listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const reports = new StatusReports({ paneEvents: events, pane: { paneId: "%1", pid: 1 }, clock });
  const tell = (event: PaneEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    reports,
    clock,
    tell,
    report: (state: string) => tell({ type: "osc", text: `7501;state=${state}:app=codex` }),
    write(state: ReportedState) {
      logged = { ...state, sinceMs: clock.now(), newsMs: clock.now(), evidence: "task" };
    },
    goOn() {
      logged = logged && { ...logged, newsMs: clock.now() };
    },
    says() {
      const report = laterReport(logged, reports.last);
      if (report === undefined) return "nothing";
      return report.state === "at_rest" ? `at_rest ${report.outcome ?? "?"}` : report.state;
    },
    isReleased: () => listeners.size === 0,
  };
}

Deno.test("every state that Codex 0.169.0 reports is understood, and nothing else", () => {
  for (
    const [text, state] of [
      ["7501;state=working:app=codex", "working"],
      ["7501;app=codex:state=working", "working"],
      ["7501;state=blocked:kind=permission:app=codex", "waiting"],
      ["7501;state=blocked:kind=question:app=codex", "waiting"],
      ["7501;state=done:app=codex", "at_rest completed"],
      ["7501;state=error:app=codex", "at_rest error"],
      ["7501;state=idle:app=codex", "at_rest ?"],
      ["7501;state=clear:app=codex", "nothing"],
      ["7501;state=odd:app=codex", "nothing"],
      ...["0;state=working", "7501", "7501;", "7501;state=", "7501;mistate=working", "7501;x;state=done"].map((text) =>
        [text, "nothing"] as const
      ),
    ] as const
  ) {
    const { tell, says } = open();
    tell({ type: "osc", text });
    assertEquals(says(), state, text);
  }
});

Deno.test("a report counts from the first prompt on, before there is a session log", () => {
  const { report, says } = open();
  assertEquals(says(), "nothing");
  report("working");
  assertEquals(says(), "working");
  report("done");
  assertEquals(says(), "at_rest completed");
  report("clear");
  assertEquals(says(), "nothing");
});

Deno.test("of log and report the later one counts; when a turn is over, and why, is the log's to say", () => {
  const { clock, report, says, write } = open();
  write({ state: "at_rest", outcome: "completed" });
  clock.advance(1000);
  report("working");
  assertEquals(says(), "working", "the log tells of the turn before");
  clock.advance(100);
  write({ state: "working" });
  clock.advance(5000);
  report("blocked:kind=permission");
  assertEquals(says(), "waiting", "of which the log says nothing");
  clock.advance(1000);
  report("working");
  assertEquals(says(), "working");
  report("done");
  assertEquals(says(), "working", "the log says when a turn is over");
  clock.advance(1000);
  write({ state: "at_rest", outcome: "interrupted" });
  clock.advance(20);
  report("idle");
  assertEquals(says(), "at_rest interrupted");
});

Deno.test("a dialog whose answer was missed does not last: the log goes on", () => {
  const { clock, report, says, write, goOn } = open();
  write({ state: "working" });
  clock.advance(1000);
  report("blocked:kind=permission");
  clock.advance(1000);
  goOn();
  assertEquals(says(), "waiting", "the log may lag behind");
  clock.advance(2000);
  goOn();
  assertEquals(says(), "working");
});

Deno.test("after a gap in the output, and when the program has ended, reports are forgotten", () => {
  for (const type of ["gap", "died"] as const) {
    const { report, says, tell } = open();
    report("working");
    tell({ type });
    assertEquals(says(), "nothing");
  }
});

Deno.test("titles and other commands are no reports, and disposal lets go of the pane", () => {
  const { reports, says, tell, isReleased } = open();
  tell({ type: "title", title: "7501;state=working" });
  tell({ type: "osc", text: "9;state=working" });
  assertEquals(says(), "nothing");
  reports[Symbol.dispose]();
  assertEquals(isReleased(), true);
});
