import { assertEquals } from "@std/assert";
import { readCorpus } from "../../lib/recordings/corpus/corpus.ts";
import { CLAUDE_CODE_RULES } from "../../lib/providers/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/providers/codex/rules.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";

const CORPUS = new URL("../../fixtures/screens", import.meta.url).pathname;

for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  const folder = `${CORPUS}/${pack.provider}`;
  const versions = [...Deno.readDirSync(folder)].map(({ name }) => name.replace(/\.ndjson\.gz$/, "")).toSorted();
  for (const version of versions) {
    Deno.test(`every screen of ${pack.provider} ${version} has its status`, async () => {
      const mistakes: string[] = [];
      let decidable = 0;
      for await (const { recording } of readCorpus(folder)) {
        if (recording.version !== version || recording.alone === false) continue;
        decidable++;
        const { status, rule } = classify(parseScreen(recording.ansi, recording), pack);
        if (status !== recording.expect) {
          mistakes.push(`${recording.name}: want ${recording.expect}, got ${status} by ${rule}`);
        }
      }
      assertEquals(mistakes, []);
      assertEquals(decidable > 5, true, `only ${decidable} recordings of ${version}`);
    });
  }

  Deno.test(`the rules of ${pack.provider} name recordings on which they decide`, async () => {
    const recordings = new Map<string, { readonly rule: string }>();
    for await (const { recording } of readCorpus(folder)) {
      const { rule } = classify(parseScreen(recording.ansi, recording), pack);
      recordings.set(`${recording.version}/${recording.name}`, { rule });
    }
    const wrong = pack.rules.filter(({ id, fixture }) => fixture !== "" && recordings.get(fixture)?.rule !== id)
      .map(({ id, fixture }) => `${id}: ${fixture} is decided by ${recordings.get(fixture)?.rule}`);
    assertEquals(wrong, []);
    const misattributed = pack.rules.flatMap(({ id, versions: named }) => {
      const decides = versions.filter((version) =>
        recordings.entries().some(([name, { rule }]) => rule === id && name.startsWith(`${version}/`))
      );
      const wrong = named.filter((version) => !decides.includes(version));
      return wrong.length === 0 ? [] : [`${id} names ${wrong}, and decides in ${decides}`];
    });
    assertEquals(misattributed, []);
  });
}
