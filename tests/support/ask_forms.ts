import type { CliName } from "./clis.ts";

/** Ways in which an agent may ask "Q?". Where one makes a file first, that is there when the agent was stopped. */
export const FORMS: readonly string[] = [
  `panewright ask "Q?"`,
  `cat-herder ask 'Q?'`,
  `cd . && panewright ask "Q?"`,
  `touch before && panewright ask "Q?"`,
  `sleep 0.5; touch before; panewright ask "Q?"; echo $?`,
  `false || panewright ask "Q?"`,
  `q="Q?"; panewright ask "$q"`,
  `if true; then panewright ask "Q?"; fi`,
  `ask() { panewright ask "$1"; }; ask "Q?"`,
  `sh -c 'panewright ask "Q?"'`,
  `bash -lc 'panewright ask "Q?"'`,
  `bash -lc 'touch before && panewright ask "Q?"'; echo $?`,
  `answer=$(panewright ask "Q?"); echo "$answer"`,
  `panewright ask - <<'END'\nQ?\nEND`,
  `echo "Q?" | panewright ask -`,
  `panewright ask "Q?" &`,
  `echo x > before && panewright ask "Q?" 2>/dev/null; echo $?`,
  `env CI=1 timeout 60 panewright ask "Q?"`,
  `sh ask.sh`,
  `npx --yes panewright ask "Q?"; echo $?`,
  `sh -c 'panewright ask "Q?" & wait'`,
];

/** A script that some of them run: `ask.sh`. */
export const SCRIPT = `panewright ask "Q?"\n`;

/** What some of them need: no registry is asked. */
export const FORMS_ENV = { npm_config_registry: "http://127.0.0.1:9/" };

/** How a CLI finds the shell of its agent. */
export interface AgentShell {
  readonly provider: CliName;
  readonly what: string;
  /** What it reads at its start; `undefined` where there is no such file. */
  readonly bashrc: string | undefined;
  /** Further arguments of the CLI. */
  readonly args: readonly string[];
}

/** Shells of both CLIs: with a snapshot of what they read at their start, without one, and with one that fails. */
export const SHELLS: readonly AgentShell[] = [
  { provider: "codex", what: "with its shell snapshot", bashrc: "", args: [] },
  { provider: "codex", what: "without its shell snapshot", bashrc: "", args: ["-c", "features.shell_snapshot=false"] },
  { provider: "codex", what: "with a shell snapshot that fails", bashrc: "exit 1\n", args: [] },
  { provider: "claude_code", what: "as it is", bashrc: "", args: ["--allowedTools", "Bash"] },
  { provider: "claude_code", what: "without a .bashrc", bashrc: undefined, args: ["--allowedTools", "Bash"] },
  {
    provider: "claude_code",
    what: "with a shell that reads exit 1",
    bashrc: "exit 1\n",
    args: ["--allowedTools", "Bash"],
  },
];

/**
 * Why a question is not that of a form; `undefined` where it is. Where a shell does not find the program, only it could
 * tell what it would have asked.
 */
export function wrongQuestion(question: string, form: string, { bashrc }: AgentShell): string | undefined {
  if (question === "Q?") return undefined;
  const isUnknown = question.includes(form) && /\$|ask -|ask\.sh|sh -c/.test(form);
  return bashrc === "exit 1\n" && isUnknown ? undefined : `asked ${JSON.stringify(question)}`;
}
