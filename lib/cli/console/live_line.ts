import { cut } from "../../base/text/display_width.ts";
import type { CliIo } from "./command.ts";

const ERASE_LINE = "\r\x1b[2K";

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
