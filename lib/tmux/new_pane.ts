import { PANE_MARK_VARIABLE } from "../base/ports/marks.ts";
import type { PaneRef, TmuxCommand } from "./client.ts";
import { SHOWS_OPTION, showsValue } from "./shown_work.ts";

export interface PaneRequest {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /**
   * Whose work it shows, where its program only does that: it can be found by it, and has the size of whichever
   * terminal shows it. Missing for an agent's own pane.
   */
  readonly shows?: string;
  readonly signal?: AbortSignal;
}

export const TERMINAL = "tmux-256color";

const DRAWING_VARIABLES = ["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "COLORTERM"] as const;

/**
 * Arguments of `env` with which a program draws the same from whatever shell panewright was started, and in whatever
 * tmux server it runs, unless its own environment asks for something else.
 */
function drawingVariables(env: Readonly<Record<string, string>>): readonly string[] {
  const unset = DRAWING_VARIABLES.filter((name) => env[name] === undefined);
  return [...unset.flatMap((name) => ["-u", name]), `TERM=${env["TERM"] ?? TERMINAL}`];
}

/**
 * What tmux is told to open a window with one pane, which stays readable after its program has ended. That of an agent
 * keeps the session's size whatever terminal attaches.
 */
export function newPaneCommands(
  { argv, env = {}, cwd, name, shows }: PaneRequest,
  { session: { name: session, cols, rows, mark }, uniqueName }: {
    readonly session: {
      readonly name: string;
      readonly cols: number;
      readonly rows: number;
      readonly mark: string;
    };
    readonly uniqueName: string;
  },
): readonly TmuxCommand[] {
  const target = `=${session}:=${uniqueName}`;
  const variables = Object.entries({ ...env, [PANE_MARK_VARIABLE]: mark });
  return [
    [
      ...["new-window", "-d", "-P", "-F", "#{pane_id} #{pane_pid}", "-n", uniqueName] as const,
      ...["-a", "-t", `=${session}:{end}`],
      ...["-c", cwd, ...variables.flatMap(([key, value]) => ["-e", `${key}=${value}`]), "--"],
      // tmux gives a single word to a shell, and several to exec; and it takes PATH from its client whatever -e says
      // (3.3a). `env` becomes the program, so the process id stays, and it says so when there is no such program.
      ...["env", ...drawingVariables(env), ...(env["PATH"] === undefined ? [] : [`PATH=${env["PATH"]}`]), ...argv],
    ],
    ["set-option", "-p", "-t", target, "remain-on-exit", "on"],
    // Without this, "Pane is dead" pushes the first row of what the program said off the screen (3.3a).
    ["set-option", "-p", "-q", "-t", target, "remain-on-exit-format", ""],
    ["set-option", "-w", "-t", target, "automatic-rename", "off"],
    ...shows === undefined
      ? [
        ["set-option", "-w", "-t", target, "window-size", "manual"] as const,
        ["resize-window", "-t", target, "-x", String(cols), "-y", String(rows)] as const,
      ]
      : [
        ["set-option", "-w", "-t", target, "window-size", "latest"] as const,
        ["set-option", "-p", "-t", target, SHOWS_OPTION, showsValue({ mark, shows })] as const,
      ],
    ["rename-window", "-t", target, name],
  ];
}

export function readNewPane(stdout: string): PaneRef | undefined {
  const found = /^(%\d+) (\d+)$/m.exec(stdout);
  return found ? { paneId: found[1]!, pid: Number(found[2]) } : undefined;
}
