import { assertEquals } from "@std/assert";
import { SCENES } from "./scenes.ts";
import { CORE_SCENES, dressOf, VARIANTS } from "./variants.ts";

Deno.test("variants and scenes have names of their own, and the core scenes are there", () => {
  for (const cli of ["claude_code", "codex"] as const) {
    const variants = VARIANTS[cli].map(({ name }) => name);
    const scenes = SCENES[cli].map(({ name }) => name);
    assertEquals([new Set(variants).size, new Set(scenes).size], [variants.length, scenes.length]);
    assertEquals(CORE_SCENES[cli].filter((name) => !scenes.includes(name)), []);
    assertEquals(variants.filter((name) => dressOf(cli, `${name}-idle-fresh-80x24`).name !== name), []);
  }
});

Deno.test("the steps of scenes are what a stage can do, and their models are there", () => {
  const waits = ["settle", "held", "turn", "interrupted", "refusals", "file", "stored", "pause", "gone"];
  const acts = ["paste", "press", "submit", "release", "interrupt", "touch", "kill", "capture"];
  const steps = Object.values(SCENES).flat().flatMap(({ play }) => play.map(([method]) => method));
  assertEquals([...new Set(steps)].filter((method) => ![...waits, ...acts].includes(method)), []);
  assertEquals(Object.values(SCENES).flat().filter(({ turns }) => typeof turns === "string"), []);
});

Deno.test("dressOf() knows a setting by the beginning of a name", () => {
  assertEquals(dressOf("claude_code", "light-ansi-question-100x30").name, "light-ansi");
  assertEquals(dressOf("claude_code", "named-question-classic-100x30").name, "named");
  assertEquals(dressOf("claude_code", "question-classic-100x30").name, "classic");
  assertEquals(dressOf("codex", "100x15-raw-idle-fresh-100x15").name, "100x15-raw");
  assertEquals(dressOf("codex", "idle-fresh-220x50").name, "plain");
});
