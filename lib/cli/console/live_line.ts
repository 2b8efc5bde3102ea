import type { CliIo } from "./command.ts";
import { cut } from "./layout.ts";

const ERASE_LINE = "\r\x1b[2K";

/** The last line of a terminal, drawn over again and again; disposal, and a forced exit, take it away. */
export class LiveLine implements Disposable {
  readonly #io: CliIo;
  readonly #unregister: () => void;
  #drawn = "";
  #ended = false;

  constructor(io: CliIo) {
    this.#io = io;
    this.#unregister = io.onForcedExit(() => this.erase());
  }

  /** Draws a text, cut to the terminal's width; it must hold nothing that a terminal would act upon. */
  show(text: string): void {
    if (this.#ended) return;
    // A line that fills the last column would wrap, and could then not be taken away again.
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
