import { assertEquals } from "@std/assert";
import { compareVersions } from "../../lib/base/text/order.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { readProofs } from "../support/proofs.ts";
import { recordingsOf } from "../support/screens.ts";
import { classify, parseScreen } from "../../lib/screen/mod.ts";

const CORPUS = new URL("../../fixtures/screens", import.meta.url).pathname;

for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
  const folder = `${CORPUS}/${pack.provider}`;
  const versions = [...Deno.readDirSync(folder)].flatMap(({ name }) => /^(.*)\.ndjson\.gz$/.exec(name)?.[1] ?? [])
    .toSorted(compareVersions);
  const decided = (await recordingsOf(pack.provider)).map((recording) => {
    const { status, rule } = classify(parseScreen(recording.ansi, recording), pack);
    return { recording, status, rule };
  });
  for (const version of versions) {
    Deno.test(`every screen of ${pack.provider} ${version} has its status`, () => {
      const mistakes: string[] = [];
      let decidable = 0;
      for (const { recording, status, rule } of decided) {
        if (recording.version !== version || recording.alone === false) continue;
        decidable++;
        if (status !== recording.expect) {
          mistakes.push(`${recording.name}: want ${recording.expect}, got ${status} by ${rule}`);
        }
      }
      assertEquals(mistakes, []);
      assertEquals(decidable > 5, true, `only ${decidable} recordings of ${version}`);
    });
  }

  Deno.test(`proofs.json names recordings on which the rules of ${pack.provider} decide`, () => {
    const ruleOf = new Map<string, string>(
      decided.map(({ recording, rule }) => [`${recording.version}/${recording.name}`, rule]),
    );
    const proofs = Object.entries(readProofs(pack.provider));
    assertEquals(proofs.map(([id]) => id).filter((id) => !pack.rules.some((rule) => rule.id === id)), []);
    const wrong = proofs.filter(([id, { fixture }]) => ruleOf.get(fixture) !== id)
      .map(([id, { fixture }]) => `${id}: ${fixture} is decided by ${ruleOf.get(fixture)}`);
    assertEquals(wrong, []);
    const misattributed = proofs.flatMap(([id, { versions: named }]) => {
      const decides = versions.filter((version) =>
        ruleOf.entries().some(([name, rule]) => rule === id && name.startsWith(`${version}/`))
      );
      const wrong = named.filter((version) => !decides.includes(version));
      return wrong.length === 0 ? [] : [`${id} names ${wrong}, and decides in ${decides}`];
    });
    assertEquals(misattributed, []);
  });
}
