import { assertEquals, assertThrows } from "@std/assert";
import { findTestCommand } from "../../lib/cli/find_test_command.ts";
import { UsageError } from "../../lib/base/errors.ts";
import { tempDir } from "../support/temp_dir.ts";

Deno.test("the project's test command is the one that its files name", async () => {
  const npm = JSON.stringify({ scripts: { test: "vitest" } });
  const cases: [Record<string, string>, string][] = [
    [{ "package.json": npm }, "npm test"],
    [{ "package.json": npm, "pnpm-lock.yaml": "" }, "pnpm test"],
    [{ "deno.json": '{ "tasks": { "test": "deno test" } }' }, "deno task test"],
    [{ "Cargo.toml": "" }, "cargo test"],
    [{ "go.mod": "" }, "go test ./..."],
    [{ "pyproject.toml": "[project]\n[tool.pytest.ini_options]\n" }, "python3 -m pytest"],
    [{ "pytest.ini": "", "pyproject.toml": "[tool.pytest.ini_options]\n" }, "python3 -m pytest"],
    [{ "build.gradle.kts": "", "gradlew": "" }, "./gradlew test"],
    [{ "package.json": "{ no JSON", "pom.xml": "<project/>" }, "mvn test"],
    [{ "Makefile": ".PHONY: test\ntest ::\n\t./t\n" }, "make test"],
    [{ "composer.json": '{ "scripts": { "test": "phpunit" } }' }, "composer test"],
    [{ "justfile": "build:\n  x\ntest *args: build\n  y\n" }, "just test"],
    [{ "Makefile": "all: test\ntest: build\n\t./t\n" }, "make test"],
  ];
  for (const [files, command] of cases) {
    await using dir = await tempDir();
    await dir.write(files);
    assertEquals(findTestCommand(dir.path).command, command);
  }
});

Deno.test("where no file names a test command, it is the usual one for the tests that are there", async () => {
  const vitest = JSON.stringify({ scripts: { build: "x" }, devDependencies: { vitest: "1" } });
  const cases: [Record<string, string>, string][] = [
    [{ "test.sh": "true\n", "lib.py": "" }, "sh test.sh"],
    [{ "bin/test": "true\n" }, "./bin/test"],
    [{ "deno.json": "{}", "src/a_test.ts": "" }, "deno test"],
    [{ "package.json": vitest }, "npx vitest run"],
    [{ "package.json": "{}", "test/a.js": "" }, "node --test"],
    [{ "package.json": "{}", "a.test.mjs": "" }, "node --test"],
    [
      { "pyproject.toml": "[project]", "tests/test_a.py": "import unittest\n" },
      "python3 -m unittest discover -s tests -t .",
    ],
    [{ "test_a.py": "import unittest\n" }, "python3 -m unittest discover"],
    [{ "requirements.txt": "pytest==8\n", "tests/test_a.py": "" }, "python3 -m pytest"],
    [{ "tests/test_a.py": "import pytest\n" }, "python3 -m pytest"],
    [{ "Gemfile": "", "Rakefile": "Rake::TestTask.new\n" }, "bundle exec rake test"],
    [{ ".rspec": "" }, "rspec"],
    // What a file names goes before what is usual.
    [{ "Makefile": "test:\n\t./t\n", "test.sh": "" }, "make test"],
  ];
  for (const [files, command] of cases) {
    await using dir = await tempDir();
    await dir.write(files);
    assertEquals(findTestCommand(dir.path).command, command);
  }
});

Deno.test("no test command and several ones are mistakes: none is guessed", async () => {
  await using dir = await tempDir();
  const none = '{ "scripts": { "test": "echo \\"Error: no test specified\\" && exit 1" } }';
  await dir.write({
    "package.json": none,
    "deno.json": '{ "tasks": { "test": " " } }',
    "pyproject.toml": "[project]",
    "Makefile": "tests: x\ntest := 1\ntest ::= 2\n",
  });
  assertThrows(() => findTestCommand(dir.path), UsageError, "names a test command");
  await dir.write({ "package.json": '{ "scripts": { "test": "" } }' });
  assertThrows(() => findTestCommand(dir.path), UsageError, "names a test command");
  await dir.write({ "Cargo.toml": "", "go.mod": "" });
  assertThrows(
    () => findTestCommand(dir.path),
    UsageError,
    '"cargo test" (Cargo.toml) and "go test ./..." (go.mod) may be meant',
  );
});

Deno.test("a link is not read in place of a project's file", async () => {
  await using dir = await tempDir();
  await dir.write({ "elsewhere": JSON.stringify({ scripts: { test: "vitest" } }) });
  await Deno.symlink(`${dir.path}/elsewhere`, `${dir.path}/package.json`);
  assertThrows(() => findTestCommand(dir.path), UsageError, "names a test command");
});
