import { isObject } from "../base/schema.ts";
import { isPlainFile } from "../base/ports/files.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { parseJsonc } from "../config/jsonc.ts";

/** A command that tests a project. */
export interface FoundTestCommand {
  readonly command: string;
  /** What of the folder says so. */
  readonly file: string;
}

export const PYTEST = "python3 -m pytest";

const MAX_FILE_BYTES = 4 * 1024 * 1024;

/** Where tests usually are, besides the folder itself. */
const TEST_FOLDERS = ["test", "tests", "__tests__", "src", "spec"];

/** The commands that are usual for the tests that a folder has, where none of its files names one. */
export function usualTestCommands(folder: string): readonly FoundTestCommand[] {
  const tests = testFilesIn(folder);
  return [script(folder), ofDeno(folder, tests), ofNode(folder, tests), ofPython(folder, tests), ofRuby(folder)]
    .filter((one) => one !== undefined);
}

const SCRIPTS = ["test.sh", "tests.sh", "run_tests.sh", "run-tests.sh", "script/test", "scripts/test.sh", "bin/test"];

function script(folder: string): FoundTestCommand | undefined {
  const file = SCRIPTS.find((name) => isPlainFile(`${folder}/${name}`));
  return file === undefined ? undefined : { command: file.endsWith(".sh") ? `sh ${file}` : `./${file}`, file };
}

function ofDeno(folder: string, tests: readonly string[]): FoundTestCommand | undefined {
  const file = ["deno.json", "deno.jsonc"].find((name) => isPlainFile(`${folder}/${name}`));
  const test = tests.find((name) => /(?:^|\/|[._])test\.(?:[mc]?[jt]s|[jt]sx)$/.test(name));
  return file === undefined || test === undefined ? undefined : { command: "deno test", file: test };
}

function ofNode(folder: string, tests: readonly string[]): FoundTestCommand | undefined {
  const text = readOrUndefined(`${folder}/package.json`);
  if (text === undefined) return undefined;
  const { value } = parseJsonc(text);
  const depends = isObject(value) ? { ...objectIn(value, "dependencies"), ...objectIn(value, "devDependencies") } : {};
  const runner = ["vitest", "jest", "mocha", "ava"].find((name) => name in depends);
  const file = "package.json";
  if (runner !== undefined) return { command: runner === "vitest" ? "npx vitest run" : `npx ${runner}`, file };
  // What node --test finds by itself.
  const test = tests.find((name) => /(?:^test\/.*|[._-]test|(?:^|\/)test)\.[mc]?js$/.test(name));
  return test === undefined ? undefined : { command: "node --test", file: test };
}

function objectIn(value: Readonly<Record<string, unknown>>, key: string): Readonly<Record<string, unknown>> {
  const inner = value[key];
  return isObject(inner) ? inner : {};
}

function ofPython(folder: string, tests: readonly string[]): FoundTestCommand | undefined {
  const file = tests.find((name) => /(?:^|\/)(?:test_\w+|\w+_test)\.py$/.test(name));
  if (file === undefined) return undefined;
  const saysPytest = ["pyproject.toml", "setup.cfg", "tox.ini", "requirements.txt", "requirements-dev.txt"]
    .some((name) => /\bpytest\b/.test(readOrUndefined(`${folder}/${name}`) ?? ""));
  const usesPytest = /^\s*(?:import|from) pytest\b/m.test(readOrUndefined(`${folder}/${file}`) ?? "");
  if (saysPytest || usesPytest || isPlainFile(`${folder}/conftest.py`) || isPlainFile(`${folder}/tests/conftest.py`)) {
    return { command: PYTEST, file };
  }
  // What unittest finds by itself is named so.
  if (!/(?:^|\/)test\w*\.py$/.test(file)) return undefined;
  const [inFolder] = file.includes("/") ? file.split("/") : [];
  return { command: `python3 -m unittest discover${inFolder === undefined ? "" : ` -s ${inFolder} -t .`}`, file };
}

function ofRuby(folder: string): FoundTestCommand | undefined {
  const rakefile = readOrUndefined(`${folder}/Rakefile`);
  const bundle = isPlainFile(`${folder}/Gemfile`) ? "bundle exec " : "";
  if (rakefile !== undefined && /TestTask|task[ (]+:?["']?test\b/.test(rakefile)) {
    return { command: `${bundle}rake test`, file: "Rakefile" };
  }
  return isPlainFile(`${folder}/.rspec`) ? { command: `${bundle}rspec`, file: ".rspec" } : undefined;
}

/** Files that may be tests, relative to the folder: those in it, and in the folders where tests usually are. */
function testFilesIn(folder: string): readonly string[] {
  return ["", ...TEST_FOLDERS].flatMap((place) =>
    filesOf(place === "" ? folder : `${folder}/${place}`).map((name) => place === "" ? name : `${place}/${name}`)
  );
}

function filesOf(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].filter(({ isFile }) => isFile).map(({ name }) => name).sort();
  } catch {
    return [];
  }
}

/** The text of a file of a repository; `undefined` where it cannot be read. */
export function readOrUndefined(path: string): string | undefined {
  try {
    return readRegularText(path, { maxBytes: MAX_FILE_BYTES });
  } catch {
    return undefined;
  }
}
