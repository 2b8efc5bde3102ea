import type { ProcessGroup, ProcessGroupSpec } from "../../../../lib/base/ports/process_group.ts";

type Json = Readonly<Record<string, unknown>>;

/** An agent that is driven by hand. */
export class ScriptedAgent {
  readonly sent: Json[] = [];
  readonly #ended = Promise.withResolvers<number>();
  readonly #closed = Promise.withResolvers<void>();
  #spec: ProcessGroupSpec | undefined;
  /** Whether it takes what it is sent; after the hello, of which it always hears. */
  reads = true;

  start = (spec: ProcessGroupSpec): ProcessGroup => {
    this.#spec = spec;
    return {
      pid: 1,
      ended: this.#ended.promise,
      stdoutEnded: this.#closed.promise,
      write: (bytes) => {
        const message = JSON.parse(new TextDecoder().decode(bytes));
        if (message.method === "initialize") {
          this.print(encode(`{"jsonrpc":"2.0","id":${message.id},"result":{"protocolVersion":1}}\n`));
        } else this.sent.push(message);
        return this.reads ? Promise.resolve() : new Promise(() => {});
      },
      listPids: () => Promise.resolve([]),
      listProcesses: () => Promise.resolve([]),
      keep: () => {},
      freeze: () => Promise.resolve(),
      stop: () => {
        this.#closed.resolve();
        this.#ended.resolve(0);
        return Promise.resolve();
      },
      killNow() {},
    };
  };

  print(bytes: Uint8Array): void {
    this.#spec?.onStdout(bytes);
  }

  /** Prints a line. */
  say(line: string): void {
    this.print(encode(`${line}\n`));
  }
}

/** Text as bytes. */
export function encode(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

/** Everything that is due has been done after it. */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
