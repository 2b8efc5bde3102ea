import { hunksIn } from "../workspace/patch.ts";
import { type PartOf, testPartOf } from "./test_files.ts";

/** A place in which a result differs from what was there before. */
export interface Hunk {
  /** Below the top of the repository. */
  readonly path: string;
  /** Its lines in the result: `12` or `12-15`; of lines that are gone, the one before. */
  readonly lines: string;
  /** How many lines it adds and takes away. */
  readonly size: number;
  /** The patch that makes it alone. */
  readonly patch: string;
}

/**
 * The hunks of a patch that tests could miss, the largest first: not of tests, prose and lock files.
 *
 * @param patch of `git diff --unified=0`
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 *
 * const patch = "diff --git a/a.js b/a.js\n--- a/a.js\n+++ b/a.js\n@@ -1 +1 @@\n-a\n+b\n@@ -3,0 +4,2 @@\n+c\n+d\n";
 * assertEquals(hunksOf(patch).map(({ path, lines }) => `${path}:${lines}`), ["a.js:1", "a.js:4-5"]);
 * ```
 */
export function hunksOf(patch: string, partOf: PartOf = testPartOf): readonly Hunk[] {
  return hunksIn(patch).filter(({ path }) => partOf(path) === undefined && !UNTESTED.test(path))
    .map(({ added: { length: count }, first, patch, path, removed }) => ({
      ...{ path, patch, size: count + removed },
      lines: count > 1 ? `${first}-${first + count - 1}` : `${first}`,
    }))
    .toSorted((one, other) => other.size - one.size);
}

const UNTESTED =
  /\.(?:md|txt|rst|adoc|svg|png|jpe?g|gif|ico)$|(?:^|\/)(?:LICENSE|NOTICE|\.gitignore|[^/]*lock(?:file)?(?:\.\w+)?|go\.sum)$/;
