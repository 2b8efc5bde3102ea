import { UsageError } from "../../base/errors.ts";

/** The terminal that the program draws on. */
export interface AgentTty {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  /** Bytes from the keyboard, in chunks as they come; ends when the terminal is gone. */
  readonly input: AsyncIterable<Uint8Array>;
  /** @returns removes the listener */
  onResize(act: () => void): () => void;
  /** Enables raw mode, the alternate screen and bracketed paste. */
  enter(): void;
  /** Restores the terminal, with an empty title, as Codex leaves it. */
  leave(): void;
}

const ENTER = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?2004h";
const LEAVE = "\x1b[?2004l\x1b[?25h\x1b]0;\x07\x1b[?1049l";

/**
 * The terminal on standard input and output.
 *
 * @throws {UsageError} when they are not a terminal
 */
export function openTty(): AgentTty {
  if (!Deno.stdin.isTerminal() || !Deno.stdout.isTerminal()) {
    throw new UsageError("Cannot play an agent: standard input and output must be a terminal", {
      hint: "The demo and the replay provider start this command in tmux panes.",
    });
  }
  const write = (text: string) => {
    let bytes = new TextEncoder().encode(text);
    while (bytes.length > 0) bytes = bytes.subarray(Deno.stdout.writeSync(bytes));
  };
  return {
    size: () => Deno.consoleSize(),
    write,
    input: Deno.stdin.readable,
    onResize(act) {
      Deno.addSignalListener("SIGWINCH", act);
      return () => Deno.removeSignalListener("SIGWINCH", act);
    },
    enter() {
      Deno.stdin.setRaw(true);
      write(ENTER);
    },
    leave() {
      write(LEAVE);
      Deno.stdin.setRaw(false);
    },
  };
}
