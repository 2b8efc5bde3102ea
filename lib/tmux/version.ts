import { UsageError } from "../base/errors.ts";
import type { TmuxClient } from "./client.ts";

export const TMUX_INSTALL_HINT = [
  "Install tmux:",
  "  Debian, Ubuntu: sudo apt-get install tmux",
  "  Fedora:         sudo dnf install tmux",
  "  Alpine:         apk add tmux",
  "  macOS:          brew install tmux",
].join("\n");

/** The oldest tmux that will do: 3.2 brought `new-session -e`, and panes that keep their size without a client. */
const [LEAST_MAJOR, LEAST_MINOR] = [3, 2];

export async function requireTmux(client: TmuxClient): Promise<string> {
  const text = (await client.run(["-V"])).stdout.trim();
  const [, major = "", minor = ""] = /(\d{1,4})\.(\d{1,4})/.exec(text) ?? [];
  const isOld = Number(major) < LEAST_MAJOR || (Number(major) === LEAST_MAJOR && Number(minor) < LEAST_MINOR);
  if (major !== "" && isOld) {
    throw new UsageError(`Cannot use ${text}: panewright needs tmux ${LEAST_MAJOR}.${LEAST_MINOR} or newer`, {
      hint: TMUX_INSTALL_HINT,
    });
  }
  return text;
}
