/**
 * What it costs to parse a capture and tell its status: at most 0.2 ms for a screen of 220×50, and 50 ms for 1 MB of
 * hostile text.
 */
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";
import { HOSTILE_UNITS, hostileCapture } from "../support/screens.ts";

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

const captures = HOSTILE_UNITS.map(hostileCapture);
for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  let next = 0;
  Deno.bench(`classify ${pack.provider}, 1 MB of hostile text, one after the other`, { group: "hostile" }, () => {
    classify(parseScreen(captures[next++ % captures.length] ?? ""), pack);
  });
}
