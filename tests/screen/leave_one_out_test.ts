import { assert, assertEquals } from "@std/assert";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import type { RulePack } from "../../lib/screen/mod.ts";
import { recordingsOf } from "../support/screens.ts";
import { leaveOneOut } from "./leave_one_out.ts";
import { smallerPatterns, specializations } from "./specializations.ts";

Deno.test("a pattern's parts are taken out one by one", () => {
  assertEquals([...smallerPatterns("^(?:ab|c) [•◦]x?$")], [
    "^(?:c) [•◦]x?$",
    "^(?:ab) [•◦]x?$",
    "^(?:ab|c) [◦]x?$",
    "^(?:ab|c) [•]x?$",
    "^(?:ab|c) [•◦]$",
    "^(?:ab|c) [•◦]x$",
  ]);
  assertEquals([...specializations({ a: [{ text: /x|y/u, foreground: [1, 9] }] })], [
    { a: [{ text: /y/u, foreground: [1, 9] }] },
    { a: [{ text: /x/u, foreground: [1, 9] }] },
    { a: [{ text: /x|y/u, foreground: [9] }] },
    { a: [{ text: /x|y/u, foreground: [1] }] },
  ]);
});

Deno.test("what only one version's recordings justify does not help to tell them", async () => {
  const recordings = (await recordingsOf("codex")).filter(({ version }) =>
    version === "0.53.0" || version === "0.90.0"
  );
  const [other] = recordings.filter(({ expect }) => expect === "error");
  assert(other);
  const strange = { ...other, name: "strange", version: "9.0.0", ansi: "\x1b[0m☂ odd", expect: "idle" as const };
  const pack: RulePack = {
    ...CODEX_RULES,
    rules: [...CODEX_RULES.rules, {
      id: "odd",
      status: "idle",
      priority: 2000,
      when: [{ on: "rows", region: "screen", text: /^(?:☂ odd|◦ Working never matches)$/ }],
    }],
  };
  const [left] = leaveOneOut(pack, [...recordings, strange], {
    newest: 1,
    proofs: { odd: { versions: ["0.90.0", "9.0.0"] } },
  });
  assertEquals([left?.version, left?.rulesTaken, left?.withoutRules.total], ["9.0.0", [], 1]);
  assertEquals([left?.withoutRules.wrong.length, left?.withoutRules.unknown.length], [0, 0]);
  assert((left?.partsTaken ?? 0) > 20);
  assertEquals((left?.withoutParts.wrong.length ?? 0) + (left?.withoutParts.unknown.length ?? 0), 1);
});
