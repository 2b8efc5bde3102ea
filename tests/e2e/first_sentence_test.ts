/** README.md's sentence, as it stands there, in projects of six kinds: what a person has in the first minute. */
import { assert, assertMatch, assertStringIncludes } from "@std/assert";
import { shellJoin } from "../../lib/shell/mod.ts";
import { CAN_RUN } from "../support/can_run_sandbox.ts";
import type { CliName } from "../support/clis.ts";
import { readMarkdown } from "../support/markdown.ts";
import { openPersonTerminal } from "../support/person_terminal.ts";
import { runProgram } from "../support/program.ts";
import { cliProject } from "./cli_project.ts";
import { shell } from "./checkouts.ts";

const README = await Deno.readTextFile(new URL("../../README.md", import.meta.url));

interface Kind {
  readonly files: Readonly<Record<string, string>>;
  /** What the agent runs. */
  readonly mends: string;
  /** The check that is found. */
  readonly check: string;
  /** What tells whether the toolchain is there, and where it is. */
  readonly needs: readonly [string, ...string[]];
  /** The folder in which that is, below what it prints. */
  readonly bin?: string;
}

/** Prices are rounded down, and each project's tests say that they should not be. */
const KINDS: Readonly<Record<string, Kind>> = {
  Node: {
    files: {
      "package.json": '{ "scripts": { "test": "node --test" } }\n',
      "price.js": "exports.price = (n) => Math.floor(n);\n",
      "price.test.js":
        'require("node:test").test("rounds", () => require("node:assert").equal(require("./price").price(1.6), 2));\n',
    },
    ...{ mends: "sed -i s/floor/round/ price.js", check: "npm test", needs: ["npm", "--version"] },
  },
  Python: {
    files: {
      "pyproject.toml": '[project]\nname = "shop"\nversion = "1"\n',
      "price.py": "def price(n):\n    return int(n)\n",
      "test_price.py": [
        "import unittest",
        "from price import price",
        "class Price(unittest.TestCase):",
        "    def test_rounds(self):",
        "        self.assertEqual(price(1.6), 2)\n",
      ].join("\n"),
    },
    ...{
      mends: "sed -i 's/int(/round(/' price.py",
      check: "python3 -m unittest discover",
      needs: ["python3", "--version"],
    },
  },
  Go: {
    files: {
      "go.mod": "module example.com/shop\n\ngo 1.19\n",
      "price.go": 'package shop\n\nimport "math"\n\nfunc Price(n float64) int {\n\treturn int(math.Floor(n))\n}\n',
      "price_test.go":
        'package shop\n\nimport "testing"\n\nfunc TestRounds(t *testing.T) {\n\tif Price(1.6) != 2 {\n\t\tt.Error("not rounded")\n\t}\n}\n',
    },
    ...{ mends: "sed -i s/Floor/Round/ price.go", check: "go test ./...", needs: ["go", "version"] },
  },
  Rust: {
    files: {
      "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
      ".gitignore": "target/\n",
      "src/lib.rs":
        "pub fn price(n: f64) -> i64 {\n    n.floor() as i64\n}\n\n#[test]\nfn rounds() {\n    assert_eq!(price(1.6), 2);\n}\n",
    },
    ...{
      mends: "sed -i s/floor/round/ src/lib.rs",
      check: "cargo test",
      needs: ["rustc", "--print", "sysroot"],
      bin: "bin",
    },
  },
  Deno: {
    files: {
      "deno.json": '{ "tasks": { "test": "deno test --no-lock" } }\n',
      "price.ts": "export const price = (n: number) => Math.floor(n);\n",
      "price_test.ts":
        'import { price } from "./price.ts";\nDeno.test("rounds", () => {\n  if (price(1.6) !== 2) throw new Error("not rounded");\n});\n',
    },
    ...{ mends: "sed -i s/floor/round/ price.ts", check: "deno task test", needs: ["deno", "--version"] },
  },
  shell: {
    files: {
      "price.sh": 'printf "%.1f\\n" "$1" | cut -d. -f1\n',
      "test.sh": 'test "$(sh price.sh 1.6)" = 2\n',
    },
    ...{ mends: 'echo \'printf "%.0f\\\\n" "$1"\' > price.sh', check: "sh test.sh", needs: ["sh", "-c", "true"] },
  },
};

/** What README.md has a person type. */
const SENTENCE = (() => {
  const section = README.split(/^## /m).find((part) => part.startsWith("One sentence")) ?? "";
  const typed = readMarkdown(section).blocks.find(({ language }) => language === "sh")?.text.trim() ?? "";
  assertMatch(typed, /^panewright "[^"]+"$/);
  return typed;
})();

for (const [at, [kind, { bin, check, files, mends, needs }]] of Object.entries(KINDS).entries()) {
  const provider: CliName = at % 2 === 0 ? "codex" : "claude_code";
  const there = await runProgram(needs, { cwd: "/", env: Deno.env.toObject(), timeoutMs: 20_000 })
    .catch(() => ({ code: 1, stdout: "" }));
  const why = there.code !== 0 ? ` (no ${needs[0]} here)` : CAN_RUN[provider] ? "" : " (no sandbox here)";
  Deno.test({
    name: `README.md's sentence, as it stands, ends in a checked card: a ${kind} project, ${provider}${why}`,
    ignore: why !== "",
    async fn() {
      await using project = await cliProject({
        ...{ provider, isRepository: true, onPath: "itself", files, env: { PANEWRIGHT_TRUST: "0" } },
        ...{ codex: { trusted: false }, claude: { trusted: false } },
        respond: () => [
          provider === "codex"
            ? { do: "shell", command: mends }
            : { do: "call", tool: "Bash", input: { command: mends, description: "Rounds" } },
          { do: "say", text: "Rounded." },
        ],
      });
      const { project: folder, root } = project.sandbox;
      await shell(folder, "git add -A; git -c user.name=P -c user.email=p@example.com commit -qm first");
      await Deno.mkdir(`${root}/own-bin`);
      await Deno.writeTextFile(`${root}/own-bin/panewright`, `#!/bin/sh\nexec ${shellJoin(project.argv)} "$@"\n`, {
        mode: 0o755,
      });
      const tools = bin === undefined ? [] : [`${there.stdout.trim()}/${bin}`];
      const env = { ...project.env, PATH: [`${root}/own-bin`, ...tools, project.env["PATH"]].join(":") };
      const beganMs = Date.now();
      await using terminal = await openPersonTerminal({ sandbox: project.sandbox, env }, { columns: 110, rows: 50 });
      await terminal.type(`clear; ${SENTENCE}; echo exit code $?`);
      await terminal.press("Enter");
      const asked = await terminal.shows(/Do you trust it as it is\? \[y\/N\]/);
      assertStringIncludes(asked.replaceAll(/\s+/g, " "), `"${check}" [check]`);
      await terminal.press("y", "Enter");
      const shown = await terminal.shows(/^exit code \d/m);
      assertMatch(shown, /^exit code 0/m);
      assertMatch(shown, /✓ PASS {2}/);
      assertStringIncludes(shown, `${check}: it passed`);
      const told = Deno.env.get("PANEWRIGHT_TEST_FIGURES");
      if (told !== undefined) {
        await Deno.writeTextFile(told, `${kind}, ${provider}: ${Date.now() - beganMs} ms\n`, { append: true });
      }
      assert(!/remark/i.test(shown), shown);
    },
  });
}
