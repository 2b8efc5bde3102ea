import { plainRow } from "../../base/text/ansi.ts";
import { displayWidth } from "../../base/text/display_width.ts";
import type { CliIo } from "./command.ts";

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

/** The terminal's alternate screen, redrawn in place; disposal or a forced exit restores the normal one. */
export class LiveScreen implements Disposable {
  readonly #io: CliIo;
  readonly #unregister: () => void;
  #entered = false;

  constructor(io: CliIo) {
    this.#io = io;
    this.#unregister = io.onForcedExit(() => this.#leave());
  }

  /** Draws as many lines as the terminal has room for; they must not contain control characters but colours. */
  draw(lines: readonly string[]): void {
    const columns = this.#io.columns();
    let room = this.#io.rows() - 1;
    const shown: string[] = [];
    for (const line of lines) {
      room -= Math.max(1, Math.ceil(displayWidth(plainRow(line)) / columns));
      if (room < 0) break;
      shown.push(`${line}\x1b[K\r\n`);
    }
    this.#io.stdout(`${this.#entered ? "" : ENTER}\x1b[H${shown.join("")}\x1b[J`);
    this.#entered = true;
  }

  #leave(): void {
    if (this.#entered) this.#io.stdout(LEAVE);
    this.#entered = false;
  }

  [Symbol.dispose](): void {
    this.#unregister();
    this.#leave();
  }
}
