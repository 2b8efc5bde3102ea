import { UsageError } from "../base/errors.ts";
import type { TmuxClient } from "./client.ts";

/** How a person gets tmux, on the systems that panewright is used on. */
export const TMUX_INSTALL_HINT = [
  "Install tmux:",
  "  Debian, Ubuntu: sudo apt-get install tmux",
  "  Fedora:         sudo dnf install tmux",
  "  Alpine:         apk add tmux",
  "  macOS:          brew install tmux",
].join("\n");

/** The oldest tmux that will do: 3.2 brought `new-session -e`, and panes that keep their size without a client. */
const MINIMUM_TMUX_VERSION = "3.2";

/** Major and minor number in what `tmux -V` prints; `undefined` for a development build, which has none. */
function parseTmuxVersion(text: string): readonly [major: number, minor: number] | undefined {
  const found = /(\d{1,4})\.(\d{1,4})/.exec(text);
  return found ? [Number(found[1]), Number(found[2])] : undefined;
}

/**
 * Makes sure that tmux is there and new enough.
 *
 * @returns what `tmux -V` prints, such as `tmux 3.3a`
 * @throws {UsageError} when it is missing or older than {@linkcode MINIMUM_TMUX_VERSION}
 */
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
