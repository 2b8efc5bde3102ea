import { cut } from "../../base/text/display_width.ts";
import type { CliIo } from "./command.ts";

const ERASE_LINE = "\r\x1b[2K";

/**
 * How many columns a {@linkcode LiveLine} has: one that fills the last column would wrap, and could not be erased; nor
 * could it with the `^C` that the terminal writes behind it.
 */
export function liveColumns({ columns }: Pick<CliIo, "columns">): number {
  return columns() - "^C".length - 1;
}

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

  /**
   * Draws a text, cut to {@linkcode liveColumns}; it must not contain control characters.
   *
   * @param painted gives the text that is left its colours
   */
  show(text: string, painted: (text: string) => string = (left) => left): void {
    if (this.#ended) return;
    const line = cut(text, liveColumns(this.#io));
    if (line === this.#drawn) return;
    this.#io.stderr(`${ERASE_LINE}${painted(line)}`);
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
