import { assertEquals } from "@std/assert";
import { namedScripts, projectFiles } from "../../lib/shell/named_scripts.ts";

const FILES = [
  "check.sh",
  "scripts/check.sh",
  "tools/x.mjs",
  "web/t.mjs",
  "tests/a_test.py",
  "src/a.js",
  ".venv/bin/python",
];

const CASES: readonly (readonly [command: string, scripts: readonly string[]])[] = [
  ["sh check.sh", ["check.sh"]],
  ["./scripts/check.sh --fast", ["scripts/check.sh"]],
  ['"$PWD/scripts/check.sh"', ["scripts/check.sh"]],
  ["bash -euo pipefail scripts/check.sh && echo ok", ["scripts/check.sh"]],
  ["env CI=1 timeout 60 sh -c 'sh scripts/check.sh'", ["scripts/check.sh"]],
  [". ./check.sh", ["check.sh"]],
  ["sh < check.sh", ["check.sh"]],
  ["node tools/x.mjs src/a.js", ["tools/x.mjs"]],
  ["node --import ./tools/x.mjs src/a.js", ["tools/x.mjs", "src/a.js"]],
  ["npx tsx tools/x.mjs", ["tools/x.mjs"]],
  [".venv/bin/python tools/x.mjs", [".venv/bin/python", "tools/x.mjs"]],
  ["cd web && node t.mjs", ["web/t.mjs"]],
  ["python3 -m pytest tests/a_test.py", []],
  ["node --test src/a.js", []],
  ["deno test tests/a_test.py", []],
  ["grep -q x src/a.js", []],
  ["check.sh", []],
];

Deno.test("the scripts that a command names are found one level deep; what it only reads is none", () => {
  for (const [command, scripts] of CASES) {
    assertEquals(namedScripts(command, (path) => FILES.includes(path)).map(({ path }) => path), scripts, command);
  }
});

Deno.test("a command's program looks up what to run in files of the project", () => {
  assertEquals(projectFiles("CI=1 npm test && make check"), ["package.json", "GNUmakefile", "makefile", "Makefile"]);
  assertEquals(projectFiles("sh check.sh"), []);
});
