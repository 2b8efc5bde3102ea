import type { CliIo } from "./command.ts";
import { cut } from "./layout.ts";

const ERASE_LINE = "\r\x1b[2K";

/** The last line of a terminal, redrawn in place; disposal or a forced exit removes it. */
export class LiveLine implements Disposable {
  readonly #io: CliIo;
  readonly #unregister: () => void;
  #drawn = "";
  #ended = false;

  constructor(io: CliIo) {
    this.#io = io;
    this.#unregister = io.onForcedExit(() => this.erase());
  }

  /** Draws a text, cut to the terminal's width; it must not contain control characters. */
  show(text: string): void {
    if (this.#ended) return;
    // A line that fills the last column would wrap, and could not be erased.
    const line = cut(text, this.#io.columns() - 1);
    if (line === this.#drawn) return;
    this.#io.stderr(`${ERASE_LINE}${line}`);
    this.#drawn = line;
  }

  /** Makes room for other output. */
  erase(): void {
    if (this.#drawn === "") return;
    this.#io.stderr(ERASE_LINE);
    this.#drawn = "";
  }

  [Symbol.dispose](): void {
    this.#ended = true;
    this.#unregister();
    this.erase();
  }
}
