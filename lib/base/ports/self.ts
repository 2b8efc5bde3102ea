/**
 * The argv that starts this same program again: the compiled executable itself, or Deno with the main module. The
 * sources need the config beside them; a bundle must take none from a folder above it.
 *
 * @param permissions Deno permission flags for the second case (`--allow-read`, …); a compiled executable has its own
 */
export function selfCommand(permissions: readonly string[]): [string, ...string[]] {
  const executable = Deno.execPath();
  if (Deno.build.standalone) return [executable];
  const main = new URL(Deno.mainModule);
  const module = main.protocol === "file:" ? decodeURIComponent(main.pathname) : main.href;
  const config = module.endsWith(".ts") ? [] : ["--no-config"];
  return [executable, "run", "--quiet", "--no-prompt", ...config, ...permissions, module];
}
