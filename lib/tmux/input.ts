import type { TmuxClient } from "./client.ts";
import { expectTmuxSuccess } from "./plain_client.ts";
import { sanitizePaste } from "../text/sanitize.ts";

/** Options of {@linkcode pasteText} and {@linkcode sendKeys}. */
export interface InputOptions {
  readonly signal?: AbortSignal;
}

/**
 * Pastes text into a pane, bracketed if the program there asked for that, without pressing Enter. The text goes through
 * a buffer of its own, which nobody else's paste can replace. Control characters are neutralised.
 *
 * @throws {RuntimeError} when there is no such pane
 */
export async function pasteText(
  client: TmuxClient,
  paneId: string,
  options: InputOptions & { readonly text: string },
): Promise<void> {
  const buffer = `panewright-${crypto.randomUUID()}`;
  const { text, ...runOptions } = options;
  const result = await client.runAll(
    [["load-buffer", "-b", buffer, "-"], ["paste-buffer", "-p", "-d", "-b", buffer, "-t", paneId]],
    { ...runOptions, stdin: sanitizePaste(text) },
  );
  if (result.code === 0) return;
  // The buffer was loaded if only the pane was missing; it must not stay in the list of a person's server.
  await client.run(["delete-buffer", "-b", buffer]);
  expectTmuxSuccess(result, `paste into pane ${paneId}`);
}

/**
 * Presses keys in a pane, by tmux's names (`Enter`, `Escape`, `y`).
 *
 * @throws {RuntimeError} when there is no such pane
 */
export async function sendKeys(
  client: TmuxClient,
  paneId: string,
  options: InputOptions & { readonly keys: readonly string[] },
): Promise<void> {
  const { keys, ...runOptions } = options;
  const result = await client.run(["send-keys", "-t", paneId, "--", ...keys], runOptions);
  expectTmuxSuccess(result, `press ${keys.join(" ")} in pane ${paneId}`);
}
