const MAX_CHARS = 8000;

/** The end of what a program printed. */
export class TailText {
  readonly #decoder = new TextDecoder();
  #text = "";

  push(bytes: Uint8Array): void {
    this.#text = (this.#text + this.#decoder.decode(bytes, { stream: true })).slice(-MAX_CHARS);
  }

  text(): string {
    return this.#text;
  }
}
