import { assertEquals } from "@std/assert";
import { parseStatusReport, withStatusReports } from "../../../lib/agents/codex/status_reports.ts";
import type { ReportedState, StatusReport, StatusSource } from "../../../lib/agents/pane/status_source.ts";
import type { PaneEvent, PaneEvents } from "../../../lib/tmux/pane_events.ts";
import { stillClock } from "../../support/still_clock.ts";

/** A session log and a pane that say what the test tells them to. */
function open() {
  const clock = stillClock(1000);
  const listeners = new Set<(event: PaneEvent) => void>();
  let logged: StatusReport | undefined;
  let disposed = false;
  const log: StatusSource = {
    sessionId: undefined,
    name: "session log",
    read: () => Promise.resolve(logged),
    expectPrompt() {},
    doubt() {},
    lastAnswer: () => Promise.resolve("The answer."),
    [Symbol.dispose]: () => void (disposed = true),
  };
  const events: PaneEvents = {
    changeOf: () => undefined,
    watch(_paneId, listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
  };
  const source = withStatusReports(log, { events, paneId: "%1", clock });
  const tell = (event: PaneEvent) => {
    for (const listener of listeners) listener(event);
  };
  return {
    source,
    clock,
    tell,
    report: (state: string) => tell({ type: "osc", text: `7501;state=${state}:app=codex` }),
    write(state: ReportedState) {
      logged = { ...state, sinceMs: clock.now(), newsMs: clock.now(), evidence: "task" };
    },
    goOn() {
      logged = logged && { ...logged, newsMs: clock.now() };
    },
    async says() {
      const report = await source.read();
      if (report === undefined) return "nothing";
      return report.state === "at_rest" ? `at_rest ${report.outcome ?? "?"}` : report.state;
    },
    isReleased: () => disposed && listeners.size === 0,
  };
}

Deno.test("every state that Codex 0.169.0 reports is understood, and nothing else", () => {
  const states = [
    "working",
    "blocked:kind=permission",
    "blocked:kind=question",
    "done",
    "error",
    "idle",
    "clear",
    "odd",
  ];
  assertEquals(states.map((state) => parseStatusReport(`7501;state=${state}:app=codex`)?.state ?? "nothing"), [
    "working",
    "waiting",
    "waiting",
    "at_rest",
    "at_rest",
    "at_rest",
    "nothing",
    "nothing",
  ]);
  for (const text of ["0;state=working", "7501", "7501;", "7501;state=", "7501;mistate=working", "7501;x;state=done"]) {
    assertEquals(parseStatusReport(text), undefined);
  }
  assertEquals(parseStatusReport("7501;app=codex:state=working"), { state: "working" });
});

Deno.test("a report counts from the first prompt on, before there is a session log", async () => {
  const { report, says } = open();
  assertEquals(await says(), "nothing");
  report("working");
  assertEquals(await says(), "working");
  report("done");
  assertEquals(await says(), "at_rest completed");
  report("clear");
  assertEquals(await says(), "nothing");
});

Deno.test("of log and report the later one counts; when a turn is over, and why, is the log's to say", async () => {
  const { clock, report, says, write } = open();
  write({ state: "at_rest", outcome: "completed" });
  clock.advance(1000);
  report("working");
  assertEquals(await says(), "working", "the log tells of the turn before");
  clock.advance(100);
  write({ state: "working" });
  clock.advance(5000);
  report("blocked:kind=permission");
  assertEquals(await says(), "waiting", "of which the log says nothing");
  clock.advance(1000);
  report("working");
  assertEquals(await says(), "working");
  report("done");
  assertEquals(await says(), "working", "the log says when a turn is over");
  clock.advance(1000);
  write({ state: "at_rest", outcome: "interrupted" });
  clock.advance(20);
  report("idle");
  assertEquals(await says(), "at_rest interrupted");
});

Deno.test("a dialog whose answer was missed does not last: the log goes on", async () => {
  const { clock, report, says, write, goOn } = open();
  write({ state: "working" });
  clock.advance(1000);
  report("blocked:kind=permission");
  clock.advance(1000);
  goOn();
  assertEquals(await says(), "waiting", "the log may lag behind");
  clock.advance(2000);
  goOn();
  assertEquals(await says(), "working");
});

Deno.test("after a gap in the output, and when the program has ended, reports are forgotten", async () => {
  for (const type of ["gap", "died"] as const) {
    const { report, says, tell } = open();
    report("working");
    tell({ type });
    assertEquals(await says(), "nothing");
  }
});

Deno.test("titles and other commands are no reports, and disposal lets go of log and pane", async () => {
  const { source, says, tell, isReleased } = open();
  tell({ type: "title", title: "7501;state=working" });
  tell({ type: "osc", text: "9;state=working" });
  assertEquals(await says(), "nothing");
  source[Symbol.dispose]();
  assertEquals(isReleased(), true);
});
