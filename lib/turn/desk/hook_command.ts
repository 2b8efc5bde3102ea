import { selfCommand } from "../../base/ports/self.ts";
import { shellJoin, shellQuote } from "../../shell/mod.ts";

interface HookPlace {
  /** Absolute path of the channel's folder. */
  readonly folder: string;
  /** Absolute path of its socket. */
  readonly socket: string;
  readonly role: string;
  readonly panewright?: readonly string[];
}

/** Where the bundle has `hook_main.ts`: `deno task bundle` writes it there. */
const BUNDLED_HOOK = "./panewright-hook.mjs";

/**
 * What the CLI of an agent runs as its hook, as a text for a shell: `hook_main.ts`, which starts fast, or this whole
 * program where that is not there, as in the compiled executable. It may do no more than reach the channel.
 *
 * A path with a comma is none that Deno can be told to allow (2.9). The CLIs run their hooks with an environment that
 * may not say where Deno keeps what it compiled.
 */
export function hookCommand({ folder, socket, role, panewright }: HookPlace): string {
  const paths = [folder, socket].join(",");
  const permissions = [`--allow-read=${paths}`, `--allow-write=${paths}`, "--allow-net"];
  const hook = panewright === undefined ? hookModule() : undefined;
  const argv = hook === undefined
    ? [...panewright ?? selfCommand([...permissions, "--allow-env"]), "hook", "--channel", folder, "--role", role]
    : [Deno.execPath(), "run", "--quiet", "--no-prompt", "--no-config", ...permissions, hook, folder, role];
  const denoDir = Deno.build.standalone ? undefined : Deno.env.get("DENO_DIR");
  return `${denoDir === undefined ? "" : `DENO_DIR=${shellQuote(denoDir)} `}${shellJoin(argv)}`;
}

function hookModule(): string | undefined {
  const here = import.meta.url;
  if (Deno.build.standalone || !here.startsWith("file:")) return undefined;
  const isSource = here.endsWith("/hook_command.ts");
  const path = decodeURIComponent(new URL(isSource ? "./hook_main.ts" : BUNDLED_HOOK, here).pathname);
  try {
    return Deno.statSync(path).isFile ? path : undefined;
  } catch {
    return undefined;
  }
}
