import type { TmuxCommand } from "./client.ts";

const PLAIN_WORD = /^[A-Za-z0-9_@:.,/+-]+$/;

export function controlLine(commands: readonly TmuxCommand[]): string | undefined {
  if (commands.length === 0) return undefined;
  const words = commands.flat();
  if (words.some((word) => word.includes("\0") || !word.isWellFormed())) return undefined;
  return commands.map((command) => command.map(quote).join(" ")).join(" ; ");
}

/**
 * Between double quotes tmux expands `$NAME`, a leading `~` and backslash escapes (tmux 3.2 to 3.3a); a line end cannot
 * stand there. A control character is written as `\ooo`.
 */
function quote(word: string): string {
  if (PLAIN_WORD.test(word)) return word;
  // deno-lint-ignore no-control-regex -- control characters are what this is about
  return `"${word.replace(/["\\$]/g, "\\$&").replace(/[\u0001-\u001f\u007f~]/g, octal)}"`;
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
}

/** Whether a command only asks for something, so that it may be asked again when no answer came. */
export function isQuestion(command: TmuxCommand): boolean {
  const [name, ...rest] = command;
  switch (name) {
    case "display-message":
    case "capture-pane":
      // Without it the one shows a message to people, and the other fills a paste buffer.
      return rest[0] === "-p";
    case "has-session":
    case "list-panes":
    case "list-sessions":
    case "list-windows":
    case "show-options":
      return true;
    default:
      return false;
  }
}
