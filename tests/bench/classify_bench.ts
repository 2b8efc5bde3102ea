/** What it costs to parse a capture and tell its status: at most 0.2 ms for a screen of 220×50. */
import { readCorpus } from "../../lib/fixtures/corpus.ts";
import { CLAUDE_CODE_RULES } from "../../lib/providers/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/providers/codex/rules.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";

const CORPUS = new URL("../../fixtures/screens", import.meta.url).pathname;

for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  const recordings = (await Array.fromAsync(readCorpus(`${CORPUS}/${pack.provider}`)))
    .map(({ recording }) => recording).filter(({ cols, rows }) => cols === 220 && rows === 50);
  const largest = recordings.reduce((a, b) => b.ansi.length > a.ansi.length ? b : a);
  let next = 0;

  Deno.bench(`classify ${pack.provider}, 220x50, every recording in turn`, { group: pack.provider }, () => {
    const recording = recordings[next++ % recordings.length];
    if (recording) classify(parseScreen(recording.ansi, recording), pack);
  });

  Deno.bench(`classify ${pack.provider}, 220x50, the largest capture`, { group: pack.provider }, () => {
    classify(parseScreen(largest.ansi, largest), pack);
  });
}

const hostile = `${"\x1b[1;2;38;5;1m› 1. (1s • … ".repeat(40_000)}\n`;
Deno.bench("classify one row of 1 MB", () => void classify(parseScreen(hostile), CODEX_RULES));
