import type { HookMail } from "./hook_witness.ts";
import type { PaneEvent, PaneEvents } from "../../tmux/pane_events.ts";

/**
 * How likely it is that a look at an agent shows something new: `now` for a sign that it does, which its screen, file
 * and record may follow in steps; `at_once` for one that is all there is; `maybe` for a mere pause.
 */
export type WakeHint = "now" | "at_once" | "maybe";

/** Tells when an early look at an agent is worthwhile. Hints may be missed, and may mean nothing. */
export interface WakeSource {
  onHint(listener: (hint: WakeHint) => void): Disposable;
}

export function paneWakeSource(events: PaneEvents, paneId: string): WakeSource {
  return {
    onHint(listener) {
      let shape: string | undefined;
      return events.watch(paneId, (event) => {
        const before = shape;
        if (event.type === "title") shape = titleShape(event.title);
        const hint = hintOf(event, { isNewTitle: shape !== before });
        if (hint) listener(hint);
      });
    },
  };
}

export function hookWakeSource(mail: HookMail): WakeSource {
  return { onHint: (listener) => mail.onEnd(() => listener("now")) };
}

function hintOf(event: PaneEvent, { isNewTitle }: { readonly isNewTitle: boolean }): WakeHint | undefined {
  switch (event.type) {
    case "quiet":
    case "gap":
      return "maybe";
    case "died":
      return "now";
    case "title":
      return isNewTitle ? "now" : undefined;
    case "osc":
      return event.text.startsWith("7501;") ? "now" : undefined;
  }
}

/**
 * What does not change of a title while an agent does the same thing: without the spinner, the seconds and the blinking
 * mark of Codex 0.169.0.
 */
function titleShape(title: string): string {
  return title.slice(0, 500).replace(/[\u2800-\u28ff]/g, "\u28ff").replace(/\d/g, "0").replace(/^\[ \. \]/, "[ ! ]");
}
