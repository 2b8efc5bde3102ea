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
const MINIMUM_TMUX_VERSION = "3.2";

function parseTmuxVersion(text: string): readonly [major: number, minor: number] | undefined {
  const found = /(\d{1,4})\.(\d{1,4})/.exec(text);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

export async function requireTmux(client: TmuxClient): Promise<string> {
  const text = (await client.run(["-V"])).stdout.trim();
  const found = parseTmuxVersion(text);
  const [needMajor, needMinor] = parseTmuxVersion(MINIMUM_TMUX_VERSION)!;
  if (found && (found[0] < needMajor || (found[0] === needMajor && found[1] < needMinor))) {
    throw new UsageError(`Cannot use ${text}: panewright needs tmux ${MINIMUM_TMUX_VERSION} or newer`, {
      hint: TMUX_INSTALL_HINT,
    });
  }
  return text;
}
