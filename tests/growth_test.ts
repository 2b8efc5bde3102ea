/**
 * What hostile text costs: work may grow in proportion to the text only. It is counted in steps, so the result is the same
 * on any machine; how long a megabyte takes is measured in tests/bench/hostile_text_bench.ts.
 */
import { assertProportional } from "./support/steps/count_steps.ts";
import { HOSTILE_TEXTS } from "./support/hostile_texts.ts";

for (const { name, units, read, size = 250 } of HOSTILE_TEXTS) {
  Deno.test(`${name}: work in proportion to hostile text`, async () => {
    for (const unit of units) {
      const run = (length: number) => read(unit.repeat(Math.ceil(length / unit.length)));
      await assertProportional(run, { size, what: `${name}, ${JSON.stringify(unit)} repeated,` });
    }
  });
}
