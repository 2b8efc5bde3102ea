import { present } from "../../base/schema.ts";
import { HumanInterventionRequiredError, RuntimeError } from "../../base/errors.ts";
import { isAtRest } from "../../base/status.ts";
import {
  type AgentPane,
  isProcessGone,
  type PaneLook,
  screenExcerpt,
  type ShownPane,
  showsDialog,
} from "./pane_look.ts";
import type { PaneProvider } from "../provider.ts";

interface StartingPane extends ShownPane, Pick<AgentPane, "name"> {
  readonly provider: PaneProvider;
  readonly timeoutMs: number;
  /** Whether it resumes a session, and so may show how the last turn of that failed. */
  readonly resumes?: boolean;
}

/** Two looks that far apart must show the same before an agent counts as ready. */
const LOOK_EVERY_MS = 150;

/** A draft that has stood still for that long is a person's, and no frame of the start. */
const DRAFT_STANDS_MS = 2000;

/** A footer that says "still starting" for that long does not mean it: people can configure footers. */
const STARTING_FOOTER_MS = 5000;

/**
 * Waits until a newly started agent can take a prompt: its composer is there and empty, it is at rest (or shows an
 * error of the session that it resumes), and the screen stands still. A dialog that asks something is never answered.
 * Words of a person in the composer make the agent ready as well: whoever gives it a prompt waits for them.
 */
export async function waitUntilReady(pane: StartingPane): Promise<void> {
  const { clock, timeoutMs, resumes = false, signal } = pane;
  let last: PaneLook | undefined;
  const start = clock.now();
  for (let stillSinceMs = start;;) {
    signal?.throwIfAborted();
    const now = await pane.look();
    const elapsedMs = clock.now() - start;
    if (isProcessGone(now)) throw endedError(now, pane);
    // Dialogs may be animated, so their rows need not stand still.
    if (last && showsDialog(last) && showsDialog(now)) throw dialogError(now, pane);
    const starting = elapsedMs < STARTING_FOOTER_MS && hasStartingFooter(now, pane.provider);
    if (last === undefined || !showsSame(last, now)) stillSinceMs = clock.now();
    else if (!starting && (isAtRest(now.classification.status) || (resumes && now.classification.status === "error"))) {
      if (now.composer?.state === "empty") return;
      if (now.composer?.state === "draft" && clock.now() - stillSinceMs >= DRAFT_STANDS_MS) return;
    }
    if (elapsedMs >= timeoutMs) throw notReadyError(now, pane);
    last = now;
    await clock.sleep(LOOK_EVERY_MS, signal);
  }
}

function hasStartingFooter({ screen, footer }: PaneLook, { terminal }: PaneProvider): boolean {
  const rows = screen.rows.slice(footer.first, footer.last + 1);
  const first = rows.find((row) => row.text.trim() !== "");
  return first !== undefined && terminal.rules.layout.composer.starting?.test(first.text) === true;
}

function showsSame(one: PaneLook, other: PaneLook): boolean {
  return one.classification.rule === other.classification.rule &&
    one.screen.rows.length === other.screen.rows.length &&
    one.screen.rows.every((row, index) => row.text === other.screen.rows[index]?.text);
}

function endedError(look: PaneLook, { name, provider }: StartingPane): RuntimeError {
  return new RuntimeError(
    `Cannot start ${name}: ${provider.label} ended while it was starting\n${screenExcerpt(look.screen)}`,
    provider.cli ? { hint: `Where ${provider.label} is missing: ${provider.cli.installHint}` } : {},
  );
}

function dialogError(look: PaneLook, { name, provider }: StartingPane): HumanInterventionRequiredError {
  const kind = look.classification.dialog?.kind ?? "other";
  const remedy = provider.terminal.startupRemedies[kind] ?? provider.terminal.startupRemedies.other;
  return new HumanInterventionRequiredError(
    `Cannot start ${name}: ${provider.label} shows a dialog (${kind}) that only a person may answer\n` +
      screenExcerpt(look.screen),
    present({ hint: remedy }),
  );
}

function notReadyError(look: PaneLook, { name, provider, timeoutMs }: StartingPane): RuntimeError {
  const { status, rule } = look.classification;
  return new RuntimeError(
    `Cannot start ${name}: ${provider.label} was not ready within ${timeoutMs / 1000} s ` +
      `(status ${status}, rule ${rule})\n${screenExcerpt(look.screen)}`,
  );
}
