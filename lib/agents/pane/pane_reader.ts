import type { Clock } from "../../base/ports/clock.ts";
import type { Screen } from "../../screen/screen.ts";
import { type CaptureOptions, captureScreen, captureScreenPartly } from "../../tmux/capture.ts";
import type { PaneRef, TmuxClient } from "../../tmux/client.ts";
import { findPaneEnd, isPaneGone } from "../../tmux/pane_processes.ts";
import type { PaneProvider } from "../provider.ts";
import { createGlance, type GlanceOptions, readScreen } from "./glance.ts";
import { lastBlockText } from "./last_block.ts";
import { isProcessGone, type PaneLook } from "./pane_look.ts";
import type { StatusTracker } from "./status_tracker.ts";

const LAST_OUTPUT_ROWS = 5000;

/** How long a look counts while tmux tells of no change: what tmux does not tell of must be seen as well. */
const MAX_LOOK_AGE_MS = 10_000;

/** The end of a pane's terminal is seen before that of its program, and tmux often loses how that ended (3.3a). */
const END_LAG_MS = 300;
const END_LOOK_EVERY_MS = 50;

const SHELL_NAME = /^-?(?:ba|z|fi|da|a|k|c|tc|nu)?sh$/;

interface PaneReaderParts {
  readonly client: TmuxClient;
  readonly pane: PaneRef;
  readonly provider: PaneProvider;
  /** Tells which signs are still looked for. */
  readonly tracker: Pick<StatusTracker, "unseenRules">;
  readonly clock: Clock;
  readonly adopted?: { readonly wrapperShell: string | undefined };
}

export class PaneReader {
  readonly #parts: PaneReaderParts;
  readonly #glance: ReturnType<typeof createGlance>;
  #isReady: boolean;
  #wrapperShell: string | undefined;
  #lastLook: { readonly look: PaneLook; readonly change: number | undefined; readonly atMs: number } | undefined;

  constructor(parts: PaneReaderParts) {
    const { client, pane, provider, clock, adopted } = parts;
    this.#parts = parts;
    this.#isReady = adopted !== undefined;
    this.#wrapperShell = adopted?.wrapperShell;
    const { joinWrappedRows: joinWrapped } = provider.terminal;
    this.#glance = createGlance({
      capture: (options) => this.#capture({ joinWrapped, ...options }),
      capturePartly: (options) => captureScreenPartly(client, pane, { joinWrapped, ...options }),
      clock,
      read: (screen) => this.#read(screen),
    });
  }

  get wrapperShell(): string | undefined {
    return this.#wrapperShell;
  }

  async noteReady(): Promise<void> {
    const { command } = await this.#capture({});
    if (command !== undefined && SHELL_NAME.test(command)) this.#wrapperShell = command;
    this.#isReady = true;
  }

  async look(options: GlanceOptions = {}): Promise<PaneLook> {
    return this.#read(await this.#capture({ joinWrapped: this.#parts.provider.terminal.joinWrappedRows, ...options }));
  }

  async lookIfChanged(options: GlanceOptions): Promise<PaneLook> {
    const { client, clock, pane } = this.#parts;
    // Asked before the look: what changes while it is taken is for the next one.
    const change = client.paneEvents?.changeOf(pane.paneId);
    const atMs = clock.now();
    const last = this.#lastLook;
    if (last && change !== undefined && change === last.change && atMs - last.atMs < MAX_LOOK_AGE_MS) return last.look;
    const look = await this.#glance(options);
    this.#lastLook = { look, change, atMs };
    return look;
  }

  async describeEnd(options: GlanceOptions): Promise<string | undefined> {
    const { client, clock, pane } = this.#parts;
    const look = await this.look(options).catch(async (error) => {
      if (await isPaneGone(client, pane)) return undefined;
      throw error;
    });
    if (look === undefined) return "the pane is gone";
    if (!isProcessGone(look)) return undefined;
    if (look.screen.dead !== true) return "a shell is left in its pane";
    for (const startMs = clock.now();;) {
      const end = await findPaneEnd(client, pane);
      if (end !== undefined) return end;
      if (clock.now() - startMs >= END_LAG_MS) return "tmux does not say how";
      await clock.sleep(END_LOOK_EVERY_MS, options.signal);
    }
  }

  /** What the agent said last, as far as the terminal shows it: on the alternate screen, in the visible rows. */
  async lastBlock(options: GlanceOptions): Promise<string> {
    const { joinWrappedRows: joinWrapped, rules: { layout } } = this.#parts.provider.terminal;
    return lastBlockText(await this.#capture({ joinWrapped, scrollbackRows: LAST_OUTPUT_ROWS, ...options }), layout);
  }

  #capture(options: CaptureOptions): Promise<Screen> {
    return captureScreen(this.#parts.client, this.#parts.pane, options);
  }

  #read(screen: Screen): PaneLook {
    const { provider, tracker } = this.#parts;
    const { command: _command, ...withoutCommand } = screen;
    const shown = this.#knowsShell(screen.command) ? withoutCommand : screen;
    return readScreen(shown, provider.terminal.rules, { signs: tracker.unseenRules });
  }

  /** Whether a shell in the foreground means nothing: it may be the script that runs the agent. */
  #knowsShell(command: string | undefined): boolean {
    return command !== undefined && (this.#isReady ? command === this.#wrapperShell : SHELL_NAME.test(command));
  }
}
