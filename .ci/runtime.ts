/**
 * What Deno is told when it runs panewright: the same in each form in which a person can get it.
 *
 * @module
 */
import config from "../deno.json" with { type: "json" };

/** With 100 agents at work 140 MB instead of 190, of which 10 are in use: tests/bench/hour_of_panes.ts. */
export const V8_FLAGS = "--v8-flags=--max-semi-space-size=2";

/** The folder of the repository, with a slash at its end. */
export const ROOT = decodeURIComponent(new URL("../", import.meta.url).pathname);

/**
 * The arguments before the bundle's path: the permissions that deno.json names, and no config, which Deno would
 * otherwise look for beside the bundle and in every folder above it.
 */
export const RUN_ARGS: readonly string[] = [
  "run",
  "--quiet",
  "--no-prompt",
  "--no-config",
  V8_FLAGS,
  ...Object.entries(config.permissions.panewright).map(([name, value]) =>
    Array.isArray(value) ? `--allow-${name}=${value.join(",")}` : `--allow-${name}`
  ),
];

/** The files of `deno task bundle`, in dist/. The first is the program. */
export const BUNDLE_FILES = ["panewright.mjs", "panewright-hook.mjs", "panewright-sandbox.mjs"] as const;

/**
 * A shell script with its placeholders (`@NAME@`) replaced.
 *
 * @throws {TypeError} for a placeholder without a value
 */
export function fillIn(script: string, values: Readonly<Record<string, string>>): string {
  return script.replaceAll(/@([A-Z_]+)@/g, (placeholder, name) => {
    const value = values[name];
    if (value === undefined) throw new TypeError(`Cannot fill in ${placeholder}: it has no value`);
    return value;
  });
}
