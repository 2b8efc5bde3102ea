import type { Notification } from "./notification.ts";

const MAX_TEXT_CHARS = 400;

export function desktopProgram(os: string): "osascript" | "notify-send" {
  return os === "darwin" ? "osascript" : "notify-send";
}

/** How {@linkcode desktopProgram} is called to show a message. The texts are arguments, never a script. */
export function desktopCommand(
  { title, text, priority }: Notification,
  os: string,
): readonly [string, ...string[]] {
  const shown = text.length <= MAX_TEXT_CHARS ? text : `${text.slice(0, MAX_TEXT_CHARS - 1)}…`;
  if (os === "darwin") {
    const script = [
      "on run argv",
      "display notification (item 2 of argv) with title (item 1 of argv)",
      "end run",
    ];
    // A text that begins with a dash must not be taken for an option.
    return [desktopProgram(os), ...script.flatMap((line) => ["-e", line]), "--", title, shown];
  }
  const urgency = priority === 5 ? "critical" : priority === 1 ? "low" : "normal";
  return [desktopProgram(os), "--app-name=panewright", `--urgency=${urgency}`, "--", title, escapeBody(shown)];
}

function escapeBody(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
