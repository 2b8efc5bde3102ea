import type { TmuxClient } from "./client.ts";
import { expectTmuxSuccess } from "./plain_client.ts";
import { sanitizePaste } from "../base/text/sanitize.ts";

interface InputOptions {
  readonly signal?: AbortSignal;
}

/**
 * Pastes text into a pane, bracketed if the program there asked for that, without pressing Enter. The text goes through
 * a buffer of its own, which nobody else's paste can replace. Control characters are neutralised.
 *
 * The buffer is filled by one call of tmux and pasted by another, so that the text arrives whole or not at all: when
 * this process is killed while it writes the text, tmux takes the end of the pipe for the end of the text.
 */
export async function pasteText(
  client: TmuxClient,
  paneId: string,
  options: InputOptions & { readonly text: string },
): Promise<void> {
  const buffer = `panewright-${crypto.randomUUID()}`;
  const { text, ...runOptions } = options;
  const doing = `paste into pane ${paneId}`;
  try {
    const loaded = await client.run(["load-buffer", "-b", buffer, "-"], { ...runOptions, stdin: sanitizePaste(text) });
    expectTmuxSuccess(loaded, doing);
    const pasted = await client.run(["paste-buffer", "-p", "-d", "-b", buffer, "-t", paneId], runOptions);
    expectTmuxSuccess(pasted, doing);
  } catch (error) {
    // It must not stay in the list of a person's server.
    await client.run(["delete-buffer", "-b", buffer]).catch(() => {});
    throw error;
  }
}

export async function sendKeys(
  client: TmuxClient,
  paneId: string,
  options: InputOptions & { readonly keys: readonly string[] },
): Promise<void> {
  const { keys, ...runOptions } = options;
  const result = await client.run(["send-keys", "-t", paneId, "--", ...keys], runOptions);
  expectTmuxSuccess(result, `press ${keys.join(" ")} in pane ${paneId}`);
}
