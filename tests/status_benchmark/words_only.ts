/**
 * A detector that looks for words anywhere on the screen, as an example of a tool to be scored and as something to
 * compare with: `deno run tests/status_benchmark/words_only.ts < screens.ndjson > predictions.ndjson`.
 */
import { toText } from "@std/streams";
import type { TerminalStatus } from "../../lib/base/status.ts";

/** What a detector needs of an exported screen. */
export interface ExportedScreen {
  readonly id: string;
  readonly text: string;
}

/** The first words that are on the screen decide; without any of them, the agent counts as idle. */
const WORDS: readonly (readonly [TerminalStatus, RegExp])[] = [
  ["waiting_user_answer", /Do you want to|Would you like to|enter to (?:confirm|select|submit)|❯ 1\. Yes|› 1\. Yes/i],
  ["processing", /esc to interrupt|ctrl\+c to interrupt|[✢✳✶✻✽] \S+…/i],
  ["error", /API Error|■ |stream disconnected/],
  ["completed", /Worked for|✻ \S+ for \d/],
];

/** The status by words. */
export function toldByWords({ text }: Pick<ExportedScreen, "text">): TerminalStatus {
  // deno-lint-ignore no-control-regex
  const plain = text.replaceAll(/\x1b\[[0-9;:]*m/g, "");
  return WORDS.find(([, words]) => words.test(plain))?.[0] ?? "idle";
}

if (import.meta.main) {
  for (const line of (await toText(Deno.stdin.readable)).split("\n")) {
    if (line === "") continue;
    const screen: ExportedScreen = JSON.parse(line);
    const prediction = `${JSON.stringify({ id: screen.id, status: toldByWords(screen) })}\n`;
    Deno.stdout.writeSync(new TextEncoder().encode(prediction));
  }
}
