import type { LoadConfigOptions } from "../config/load.ts";
import { sanitizeLine } from "../base/text/sanitize.ts";
import type { CliIo } from "./console/command.ts";

/** The environment of the person, for a configuration that is read; what is odd about it is told on stderr. */
export function environmentOf(
  { env, envNames, stderr }: Pick<CliIo, "env" | "envNames" | "stderr">,
): Required<Pick<LoadConfigOptions, "env" | "envNames" | "onWarning">> {
  return {
    env: (name) => env(name),
    envNames: envNames(),
    onWarning: ({ where, message }) => stderr(`warning: ${sanitizeLine(`${where}: ${message}`)}\n`),
  };
}
