import { isObject } from "../base/schema.ts";
import { parseJsonc } from "../config/jsonc.ts";
import { UsageError } from "../base/errors.ts";
import { isPlainFile } from "../base/ports/files.ts";
import { type FoundTestCommand, PYTEST, readOrUndefined, usualTestCommands } from "./usual_test_commands.ts";

export function findTestCommand(folder: string): FoundTestCommand {
  const found = testCommandsIn(folder);
  const [first] = found;
  if (first !== undefined && found.length === 1) return first;
  const problem = first === undefined
    ? `no file of ${folder} names a test command`
    : `${found.map(({ command, file }) => `"${command}" (${file})`).join(" and ")} may be meant`;
  throw new UsageError(`Cannot tell how to check the work: ${problem}`, {
    hint: 'Name the command that must pass after it: --check "make check"',
  });
}

/** The commands that the files of a folder name; where none does, those that are usual for tests of their kind. */
export function testCommandsIn(folder: string): readonly FoundTestCommand[] {
  const named = namedIn(folder);
  return named.length > 0 ? named : usualTestCommands(folder);
}

function namedIn(folder: string): readonly FoundTestCommand[] {
  const found = PROJECTS.flatMap(({ files, commandOf }): FoundTestCommand[] => {
    for (const file of files) {
      const text = readOrUndefined(`${folder}/${file}`);
      const command = text === undefined ? undefined : commandOf(text, (name) => isPlainFile(`${folder}/${name}`));
      if (command !== undefined) return [{ command, file }];
    }
    return [];
  });
  return found.filter(({ command }, index) => found.findIndex((each) => each.command === command) === index);
}

interface ProjectKind {
  readonly files: readonly string[];
  /** The command by the file's text; undefined where it names none. */
  readonly commandOf: (text: string, isThere: (name: string) => boolean) => string | undefined;
}

const PROJECTS: readonly ProjectKind[] = [
  {
    files: ["deno.json", "deno.jsonc"],
    commandOf: (text) => testEntryOf(text, "tasks") === undefined ? undefined : "deno task test",
  },
  {
    files: ["package.json"],
    commandOf(text, isThere) {
      const script = testEntryOf(text, "scripts");
      // What npm init writes.
      if (typeof script !== "string" || script.includes("no test specified")) return undefined;
      return `${LOCK_FILES.find(([file]) => isThere(file))?.[1] ?? "npm"} test`;
    },
  },
  { files: ["Cargo.toml"], commandOf: () => "cargo test" },
  { files: ["go.mod"], commandOf: () => "go test ./..." },
  { files: ["pytest.ini"], commandOf: () => PYTEST },
  { files: ["pyproject.toml"], commandOf: (text) => /^\[tool\.pytest\b/m.test(text) ? PYTEST : undefined },
  { files: ["pom.xml"], commandOf: (_text, isThere) => isThere("mvnw") ? "./mvnw test" : "mvn test" },
  {
    files: ["build.gradle", "build.gradle.kts"],
    commandOf: (_text, isThere) => isThere("gradlew") ? "./gradlew test" : "gradle test",
  },
  { files: ["mix.exs"], commandOf: () => "mix test" },
  {
    files: ["composer.json"],
    commandOf: (text) => testEntryOf(text, "scripts") === undefined ? undefined : "composer test",
  },
  { files: ["justfile", "Justfile", ".justfile"], commandOf: (text) => JUST_TEST.test(text) ? "just test" : undefined },
  {
    files: ["GNUmakefile", "makefile", "Makefile"],
    commandOf: (text) => MAKE_TEST.test(text) ? "make test" : undefined,
  },
];

/** A recipe `test`, with what it takes and needs. */
const JUST_TEST = /^@?test(?:[ \t][^:=\n]*)?:(?!=)/m;

/** A target `test`; no variable of that name. */
const MAKE_TEST = /^test[ \t]*:(?!:?=)/m;

const LOCK_FILES = [["pnpm-lock.yaml", "pnpm"], ["yarn.lock", "yarn"], ["bun.lock", "bun run"]] as const;

/** The entry `test` of an object in a file of JSON; `undefined` where it is empty, and would always pass. */
function testEntryOf(text: string, group: string): unknown {
  const { value } = parseJsonc(text);
  const entries = isObject(value) ? value[group] : undefined;
  const test = isObject(entries) ? entries["test"] : undefined;
  return typeof test === "string" && test.trim() === "" ? undefined : test;
}
