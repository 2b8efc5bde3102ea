import { globToRegExp } from "@std/path/posix";

// What of a repository decides whether its tests pass, by the conventions of the runners that are common.

/** What a file is to the tests of a project. */
export type TestPart = "test" | "snapshot" | "runner" | "ci";

const TEST = [
  // JavaScript and TypeScript: node --test, jest, vitest, mocha, deno test, bun test.
  /(?:^|[./_-])(?:test|spec)\.[cm]?[jt]sx?$/,
  /(?:^|\/)(?:__tests__|tests?|specs?|e2e)\/.*\.[cm]?[jt]sx?$/,
  // Python, Ruby, PHP.
  /(?:^|\/)test_[^/]*\.py$|_test\.py$|(?:^|\/)tests?\/.*\.py$/,
  /_(?:spec|test)\.rb$|(?:^|\/)(?:spec|test)\/.*\.rb$/,
  /Test\.php$|(?:^|\/)tests\/.*\.php$/,
  // Go, Rust, Java and its kin, C#, Elixir, Swift, shell.
  /_test\.go$|(?:^|\/)tests\/.*\.rs$/,
  /(?:^|\/)src\/(?:test|androidTest|integrationTest)\//,
  /Tests?\.(?:java|kt|cs|swift)$/,
  /_test\.exs$|\.bats$|(?:^|\/)(?:run[_-])?tests?\.sh$/,
  /(?:^|\/)tests?\/.*\.sh$/,
];

const SNAPSHOT = /(?:^|\/)__snapshots__\/|\.snap$|(?:^|\/)(?:golden|testdata|fixtures|snapshots)\//;

const RUNNER = [
  /(?:^|\/)(?:jest|vitest|vite|karma|playwright|cypress|ava|babel|c8|nyc)\.config\.[cm]?[jt]s(?:on)?$/,
  /(?:^|\/)\.(?:mocharc|nycrc|taprc|c8rc)(?:\.\w+)?$/,
  /(?:^|\/)(?:package\.json|deno\.jsonc?|bunfig\.toml|tsconfig(?:\.\w+)?\.json)$/,
  /(?:^|\/)(?:conftest\.py|sitecustomize\.py|usercustomize\.py|pytest\.ini|tox\.ini|setup\.cfg|pyproject\.toml|noxfile\.py|\.coveragerc)$/,
  /(?:^|\/)(?:GNUmakefile|[Mm]akefile|[Jj]ustfile|\.justfile|Rakefile|\.rspec|phpunit\.xml(?:\.dist)?)$/,
  /(?:^|\/)(?:Cargo\.toml|\.cargo\/config(?:\.toml)?|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|composer\.json)$/,
  /(?:^|\/)(?:\.env(?:\.\w+)?|\.npmrc|\.node-version|\.tool-versions)$/,
];

const CI =
  /^(?:\.github\/(?:workflows|actions)\/|\.gitlab-ci\.yml$|\.circleci\/|Jenkinsfile$|azure-pipelines\.yml$|\.ci\/)/;

/** Files that say much besides how tests run: only their lines about tests count. */
const MANIFEST =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|tsconfig(?:\.\w+)?\.json|pyproject\.toml|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|mix\.exs|composer\.json)$/;

const ABOUT_TESTS = /test|spec|jest|mocha|ava\b|coverage|harness|surefire|skip|"(?:main|type|imports|node-options)"/i;

/** What of a file is about tests: of one that is about them alone, all. */
export function linesAboutTests(path: string, text: string): string {
  if (!MANIFEST.test(path)) return text;
  // A comma is there for the line after it.
  return text.split("\n").filter((line) => ABOUT_TESTS.test(line)).map((line) => line.replace(/,?\s*$/, "")).join("\n");
}

/**
 * What a file is to the tests; `undefined` for any other one.
 *
 * @param path below the top of the repository
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * assertEquals(["src/price.js", "test/price.test.js", "conftest.py"].map(testPartOf), [undefined, "test", "runner"]);
 * ```
 */
export function testPartOf(path: string): TestPart | undefined {
  return otherPartOf(path) ?? (TEST.some((pattern) => pattern.test(path)) ? "test" : undefined);
}

/** What files are to the tests of a project, which may say by patterns which ones are its tests. */
export type PartOf = typeof testPartOf;

/** @param patterns `evidence.tests`: without any, the conventions of the runners count */
export function partsBy(patterns: readonly string[]): PartOf {
  const own = patterns.map((pattern) => globToRegExp(pattern));
  if (own.length === 0) return testPartOf;
  return (path) => own.some((pattern) => pattern.test(path)) ? "test" : otherPartOf(path);
}

function otherPartOf(path: string): TestPart | undefined {
  if (SNAPSHOT.test(path) && !TEST[0]?.test(path)) return "snapshot";
  if (RUNNER.some((pattern) => pattern.test(path))) return "runner";
  return CI.test(path) ? "ci" : undefined;
}
