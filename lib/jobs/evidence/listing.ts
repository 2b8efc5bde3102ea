import { namingTests } from "../../evidence/runner_flags.ts";
import { filesIn } from "../../workspace/trees.ts";
import type { DecidingCheck } from "./trial.ts";

const PYTHON_TEST = /(?:^|\/)(?:test_[^/]*|[^/]*_test)\.py$/;

/**
 * Variables by which runners name the tests that they run, where they do not by themselves.
 *
 * @param files of the commit
 */
export function listingOf(files: readonly string[]): Readonly<Record<string, string>> {
  const more = (name: string, options: string) => ({ [name]: [Deno.env.get(name) ?? "", options].join(" ").trim() });
  return {
    ...(files.some((path) => /(?:^|\/)go\.mod$/.test(path)) ? more("GOFLAGS", "-v") : {}),
    ...(files.some((path) => PYTHON_TEST.test(path)) ? more("PYTEST_ADDOPTS", "-rA") : {}),
  };
}

/** The checks, and the variables, by which runners name the tests of a commit. */
export async function namingOf(
  given: readonly DecidingCheck[],
  { at, ...where }: { readonly at: string } & Parameters<typeof filesIn>[1],
) {
  const env = listingOf(await filesIn(at, where));
  const checks = given.map((check) => ({ ...check, command: namingTests(check.command) }));
  const isToldMore = Object.keys(env).length > 0 ||
    checks.some(({ command }, index) => command !== given[index]?.command);
  return { checks, env, isToldMore };
}
