import { assertEquals } from "@std/assert";
import { conditionEffects } from "../../lib/shell/conditions.ts";
import { expandBraces, parseShellCommand } from "../../lib/shell/mod.ts";

const wordsOf = (text: string) => parseShellCommand(text).commands[0]!.words;

Deno.test("braces make words of their choices, and of those within them", () => {
  const expanded = (text: string) => expandBraces(wordsOf(text)[0]!)?.map(({ value }) => value);
  assertEquals(expanded("{a,{b,c},d}e"), ["ae", "be", "ce", "de"]);
  assertEquals(expanded("{{a,b}}"), ["{a}", "{b}"]);
  assertEquals(expanded("{a,b}{c,d}"), ["ac", "ad", "bc", "bd"]);
});

Deno.test("an operand that may be several words, before the operator or behind it, leaves a condition unclear", () => {
  const effects = (text: string) => conditionEffects(wordsOf(text).slice(1), { double: false });
  for (const text of ["test * = a", "test a = *", "test {a,b} = a", "test a = {a,b}"]) {
    assertEquals(effects(text).unclear, "the condition =", text);
  }
  assertEquals(effects("test a = b"), { arithmetic: [] });
  assertEquals(effects("test a = b*"), { arithmetic: [] });
});
