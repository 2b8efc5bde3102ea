const BELL = 0x07;
const CANCEL = 0x18;
const SUBSTITUTE = 0x1a;
const ESCAPE = 0x1b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;

const DECODER = new TextDecoder();

const MAX_BYTES = 4096;

/**
 * Finds the operating system commands (`ESC ] … BEL`, or `… ESC \`) in what a program writes to its terminal, in pieces
 * that may end anywhere.
 */
export class OscScanner {
  #state: "text" | "escape" | "command" | "command_escape" = "text";
  #bytes: number[] = [];

  push(piece: Uint8Array): string[] {
    const found: string[] = [];
    for (let at = 0; at < piece.length; at++) {
      if (this.#state === "text") {
        at = piece.indexOf(ESCAPE, at);
        if (at < 0) break;
        this.#state = "escape";
        continue;
      }
      const text = this.#take(piece[at]!);
      if (text !== undefined) found.push(text);
    }
    return found;
  }

  #take(byte: number): string | undefined {
    switch (this.#state) {
      case "text":
      case "escape":
        this.#state = byte === CLOSING_BRACKET ? "command" : byte === ESCAPE ? "escape" : "text";
        if (this.#state === "command") this.#bytes = [];
        return undefined;
      case "command":
        if (byte === BELL) return this.#end();
        if (byte === ESCAPE) this.#state = "command_escape";
        else if (byte === CANCEL || byte === SUBSTITUTE) this.#state = "text";
        else if (this.#bytes.length <= MAX_BYTES) this.#bytes.push(byte);
        return undefined;
      case "command_escape":
        if (byte === BACKSLASH) return this.#end();
        this.#state = "escape";
        return this.#take(byte);
    }
  }

  #end(): string | undefined {
    this.#state = "text";
    if (this.#bytes.length > MAX_BYTES) return undefined;
    return DECODER.decode(Uint8Array.from(this.#bytes));
  }
}
