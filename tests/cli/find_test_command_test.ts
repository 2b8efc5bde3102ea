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
    [{ "Makefile": "all: test\ntest: build\n\t./t\n" }, "make test"],
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
