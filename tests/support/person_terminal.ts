import type { Sandbox } from "./sandbox.ts";
import { runProgram } from "./program.ts";
import { until } from "./until.ts";

/** A person's terminal: a tmux of its own around what runs in it. */
export interface PersonTerminal extends AsyncDisposable {
  screen(): Promise<string>;
  /** The screen with the sequences that style it. */
  styled(): Promise<string>;
  /** Waits until the screen shows something, and returns it. */
  shows(pattern: RegExp): Promise<string>;
  type(text: string): Promise<void>;
  /** tmux names of keys. */
  press(...keys: readonly string[]): Promise<void>;
  resize(columns: number, rows: number): Promise<void>;
  /** Types a command, which tells its exit code in the end; the screen is empty when it begins. */
  command(...argv: readonly string[]): Promise<void>;
}

export interface PersonTerminalOptions {
  readonly name?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** What runs in it. @default a shell with job control: Ctrl-C reaches the whole foreground job */
  readonly argv?: readonly string[];
}

const SHELL = ["bash", "--norc", "-i"];

/** Opens a terminal in the project of a sandbox. */
export async function openPersonTerminal(
  { sandbox: { project: cwd, root }, env }: {
    readonly sandbox: Pick<Sandbox, "project" | "root">;
    readonly env: Readonly<Record<string, string>>;
  },
  { name = "person", columns = 120, rows = 45, argv = SHELL }: PersonTerminalOptions = {},
): Promise<PersonTerminal> {
  const tmux = async (...args: readonly string[]) => {
    // Beside the sockets of runs, none of which may be left.
    const command = ["tmux", "-S", `${root}/${name}`, "-f", "/dev/null", ...args] as const;
    const { code, stdout, stderr } = await runProgram(command, { cwd, env, timeoutMs: 45_000 });
    if (code !== 0) throw new Error(`tmux ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const screen = () => tmux("capture-pane", "-p");
  const type = async (text: string) => void await tmux("send-keys", "-l", text);
  const press = async (...keys: readonly string[]) => void await tmux("send-keys", ...keys);
  await tmux("new-session", "-d", "-x", String(columns), "-y", String(rows), "--", ...argv);
  return {
    ...{ screen, type, press },
    styled: () => tmux("capture-pane", "-e", "-p"),
    shows: (pattern) => until(screen, (text) => pattern.test(text), (text) => `not ${pattern}:\n${text}`),
    resize: async (width, height) => void await tmux("resize-window", "-x", String(width), "-y", String(height)),
    async command(...words) {
      await type(`clear; ${words.map((word) => `'${word}'`).join(" ")}; echo exit code $?`);
      await press("Enter");
    },
    // With its only program, the terminal may have ended by itself.
    [Symbol.asyncDispose]: () => tmux("kill-server").then(() => {}, () => {}),
  };
}
