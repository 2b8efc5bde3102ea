import { assertEquals } from "@std/assert";
import { paneWakeSource, type WakeHint } from "../../../lib/agents/pane/wake_source.ts";
import type { PaneEvent, PaneEvents } from "../../../lib/tmux/pane_events.ts";

function hintsOf(happened: readonly PaneEvent[]): readonly WakeHint[] {
  let tell: (event: PaneEvent) => void = () => {};
  const events: PaneEvents = {
    changeOf: () => undefined,
    watch(_paneId, listener) {
      tell = listener;
      return { [Symbol.dispose]() {} };
    },
  };
  const hints: WakeHint[] = [];
  paneWakeSource(events, "%1").onHint((hint) => hints.push(hint));
  for (const event of happened) tell(event);
  return hints;
}

const titles = (...all: string[]): PaneEvent[] => all.map((title) => ({ type: "title", title }));

Deno.test("a spinner that turns, seconds that pass and a mark that blinks are no news", () => {
  assertEquals(hintsOf(titles("⠋ proj", "⠙ proj", "⠹ proj")), ["now"]);
  assertEquals(hintsOf(titles("Working 9s", "Working 8s")), ["now"]);
  assertEquals(hintsOf(titles("[ ! ] Action Required | proj", "[ . ] Action Required | proj")), ["now"]);
});

Deno.test("a title that says something else is news, as are a report and the end", () => {
  assertEquals(hintsOf(titles("⠋ proj", "proj", "⠋ proj", "[ ! ] Action Required | proj")), [
    "now",
    "now",
    "now",
    "now",
  ]);
  assertEquals(hintsOf([{ type: "osc", text: "7501;state=done:app=codex" }, { type: "died" }]), ["now", "now"]);
  assertEquals(hintsOf([{ type: "osc", text: "9;ding" }]), []);
});

Deno.test("quiet and gaps are worth a look only where looks are left", () => {
  assertEquals(hintsOf([{ type: "quiet" }, { type: "gap" }]), ["maybe", "maybe"]);
});
