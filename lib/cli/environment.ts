import type { LoadConfigOptions } from "../config/load.ts";
import { present } from "../base/schema.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import type { CliIo } from "./console/command.ts";
import { installedProviders } from "./installed_rules.ts";

const PASSED =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TERM|TZ|TMPDIR|XDG_\w+|CODEX_HOME|CLAUDE_CONFIG_DIR|DENO_DIR|SSL_CERT_\w+|PANEWRIGHT_(?!FLEET$)\w+)$/;

/** What of this environment goes to a run that another process begins at another time: no keys but those that are named. */
export function passedEnvironment(
  { env, envNames }: Pick<CliIo, "env" | "envNames">,
  keys: readonly string[] = [],
): Readonly<Record<string, string>> {
  const names = envNames().filter((name) => PASSED.test(name) || keys.includes(name)).toSorted();
  return Object.fromEntries(names.flatMap((name) => env(name) === undefined ? [] : [[name, env(name)!]]));
}

type Source = Required<Pick<LoadConfigOptions, "env" | "envNames" | "onWarning">>;

export function environmentOf({ env, envNames, stderr }: Pick<CliIo, "env" | "envNames" | "stderr">): Source {
  return {
    env: (name) => env(name),
    envNames: envNames(),
    onWarning: warnAt({ stderr }),
  };
}

export function warnAt({ stderr }: Pick<CliIo, "stderr">): Source["onWarning"] {
  return ({ where, message }) => stderr(`warning: ${sanitizeLine(`${where}: ${message}`)}\n`);
}

/** Where a command line reads its configuration from: its folder, its variables, and the rules that are installed. */
export async function configSource(
  io: Pick<CliIo, "cwd" | "env" | "envNames" | "stderr">,
  given: { readonly [Name in "cwd" | "path" | "flags" | "onWarning"]?: LoadConfigOptions[Name] | undefined } = {},
): Promise<LoadConfigOptions> {
  const providers = await installedProviders(io);
  return { cwd: io.cwd, ...environmentOf(io), providers, ...present(given) };
}
