import { UsageError } from "../../base/errors.ts";

export interface AgentTty {
  size(): { readonly columns: number; readonly rows: number };
  write(text: string): void;
  readonly input: AsyncIterable<Uint8Array>;
  onResize(act: () => void): () => void;
  enter(): void;
  leave(): void;
}

const ENTER = "\x1b[?1049h\x1b[2J\x1b[H\x1b[?2004h";
const LEAVE = "\x1b[?2004l\x1b[?25h\x1b]0;\x07\x1b[?1049l";

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
