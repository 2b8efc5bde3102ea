/**
 * The argv that starts this same program again: the compiled executable itself, or Deno with the main module.
 *
 * @param permissions Deno permission flags for the second case (`--allow-read`, …); a compiled executable has its own
 */
export function selfCommand(permissions: readonly string[]): [string, ...string[]] {
  const executable = Deno.execPath();
  if (Deno.build.standalone) return [executable];
  const main = new URL(Deno.mainModule);
  const module = main.protocol === "file:" ? decodeURIComponent(main.pathname) : main.href;
  return [executable, "run", "--quiet", "--no-prompt", ...permissions, module];
}
