import type { CliName } from "../../support/clis.ts";

/** A way to set up a CLI and its terminal in which people run it. */
export interface Variant {
  /** The names of its recordings begin with it. */
  readonly name: string;
  /** What differs from `plain`, in words. */
  readonly about: string;
  /** Columns × rows. @default {["100x30"]} */
  readonly sizes?: readonly string[];
  /** What the agent's environment has besides; `TERM` is set in the pane, over tmux's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  /** Keys of `~/.claude/settings.json`, or of `[tui]` in Codex' config.toml. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Keys of `~/.claude.json`. */
  readonly state?: Readonly<Record<string, unknown>>;
  /** A dialog that it opens at the start of each scene, and the keys that leave it. */
  readonly opens?: { readonly state: string; readonly note: string; readonly keys: readonly string[] };
  /** The keys that interrupt the agent. @default {["Escape"]} */
  readonly interrupt?: readonly string[];
  /** The scenes that are played. @default {"core"} those in which each status is shown; or all of them */
  readonly scenes?: "core" | "all";
}

/** What both CLIs are recorded in: terminals, not settings. */
const TERMINALS: readonly Variant[] = [
  { name: "plain", about: "nothing is set", scenes: "all" },
  { name: "nocolor", about: "NO_COLOR=1 and FORCE_COLOR=0", env: { NO_COLOR: "1", FORCE_COLOR: "0" } },
  { name: "forced0", about: "FORCE_COLOR=0", env: { FORCE_COLOR: "0" } },
  { name: "ansi8", about: "a terminal of 8 colours: TERM=xterm", env: { TERM: "xterm" } },
  { name: "ansi16", about: "a terminal of 16 colours: TERM=xterm-16color", env: { TERM: "xterm-16color" } },
  { name: "ansi256", about: "a terminal of 256 colours: TERM=xterm-256color", env: { TERM: "xterm-256color" } },
  {
    name: "truecolor",
    about: "a terminal of all colours: COLORTERM=truecolor",
    env: { TERM: "xterm-256color", COLORTERM: "truecolor" },
  },
  { name: "widths", about: "40, 60, 160 and 300 columns", sizes: ["40x24", "60x20", "160x45", "300x60"] },
];

const DUMB: Variant = { name: "dumb", about: "TERM=dumb", env: { TERM: "dumb" } };

/** The first Escape leaves insert mode. */
const VIM = { name: "vim", interrupt: ["Escape", "Escape"] } as const;

const CLAUDE_THEMES = ["light", "dark-ansi", "light-ansi", "dark-daltonized", "light-daltonized"] as const;
const CODEX_THEMES = ["catppuccin-latte", "gruvbox-dark", "solarized-light", "dracula"] as const;

const STATUS_LINE = "printf 'reviewer \\033[32mok\\033[0m · esc to interrupt is a key · 42%% left'";

/** What each CLI is recorded in, so that its rules are held to all of it. */
export const VARIANTS: Readonly<Record<CliName, readonly Variant[]>> = {
  claude_code: [
    ...TERMINALS,
    DUMB,
    ...CLAUDE_THEMES.map((theme): Variant => ({
      name: theme,
      about: `theme ${theme}`,
      state: { theme },
      settings: { theme },
    })),
    { name: "classic", about: "the classic renderer, on the main screen", settings: { tui: "default" } },
    { name: "still", about: "less motion", settings: { prefersReducedMotion: true } },
    { name: "named", about: "a named session: -n reviewer", args: ["-n", "reviewer"] },
    {
      name: "statusline",
      about: "a status line of the person's own",
      settings: { statusLine: { type: "command", command: STATUS_LINE } },
    },
    { ...VIM, about: "vim mode", state: { editorMode: "vim" }, settings: { editorMode: "vim" } },
    { name: "explanatory", about: "output style Explanatory", settings: { outputStyle: "Explanatory" } },
  ],
  codex: [
    ...TERMINALS,
    {
      ...DUMB,
      opens: {
        state: "waiting-dumb-terminal",
        note: "asks whether to go on in such a terminal",
        keys: ["y", "Enter"],
      },
    },
    ...CODEX_THEMES.map((theme): Variant => ({
      name: `theme-${theme}`,
      about: `[tui] theme ${theme}`,
      settings: { theme },
    })),
    { name: "inline", about: "on the main screen: --no-alt-screen", args: ["--no-alt-screen"] },
    { name: "still", about: "[tui] animations off", settings: { animations: false } },
    {
      name: "statusline",
      about: "[tui] status line and terminal title of the person's own",
      settings: {
        status_line: ["model-with-reasoning", "context-remaining", "current-dir"],
        terminal_title: ["app-name", "run-state", "thread-id"],
      },
    },
    { ...VIM, about: "[tui] vim mode", settings: { vim_mode_default: true } },
    { name: "raw", about: "[tui] raw output mode", settings: { raw_output_mode: true } },
  ],
};

/** The scenes in which each status is shown, for variants that do not play all. */
export const CORE_SCENES: Readonly<Record<CliName, readonly string[]>> = {
  claude_code: ["first-turn", "quotes", "permission", "errors", "question", "questions", "plan"],
  codex: ["first-turn", "quotes", "approval", "patch", "errors", "question", "plan"],
};

/** Settings of recordings that were made before there were variants, by the beginning of their names. */
const EARLIER: readonly Pick<Variant, "name" | "about">[] = [
  { name: "60x20-nocolor", about: "NO_COLOR=1, at 60 columns" },
  { name: "100x15-raw", about: "raw output mode, at 15 rows" },
  { name: "100x15", about: "dialogs that scroll, at 15 rows" },
  { name: "big", about: "questions, plans and commands longer than the screen" },
  { name: "extra", about: "sub-agents, background commands, MCP, modes" },
];

/** The setting that a recording was made in, by its name: `plain` where it names none. */
export function dressOf(provider: CliName, recording: string): Pick<Variant, "name" | "about"> {
  const known = [...VARIANTS[provider], ...EARLIER].toSorted((a, b) => b.name.length - a.name.length);
  return known.find(({ name }) => recording.startsWith(`${name}-`)) ??
    known.find(({ name }) => name === (recording.includes("-classic-") ? "classic" : "plain"))!;
}
