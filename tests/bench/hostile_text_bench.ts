/**
 * How long a megabyte of hostile text takes whoever reads it; that this grows in proportion only is tested in
 * tests/growth_test.ts.
 */
import { HOSTILE_TEXTS } from "../support/hostile_texts.ts";

const LENGTH = 1_000_000;

for (const { name, units, read } of HOSTILE_TEXTS) {
  const texts = units.map((unit) => unit.repeat(Math.ceil(LENGTH / unit.length)));
  Deno.bench(`${name}, 1 MB of each of ${units.length}`, { group: "hostile text", n: 1, warmup: 0 }, () => {
    for (const text of texts) read(text);
  });
}
