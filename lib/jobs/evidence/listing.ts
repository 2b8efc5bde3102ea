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
