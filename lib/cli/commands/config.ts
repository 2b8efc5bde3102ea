import { CONFIG_FLAGS } from "../../config/flags.ts";
import { loadAnyConfig, type LoadedSettings } from "../../config/load.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { describeSource } from "../../config/source.ts";
import { didYouMean } from "../../text/suggest.ts";
import { UsageError } from "../../errors.ts";
import { defineCommand } from "../console/command.ts";
import { displayWidth } from "../../text/display_width.ts";
import { cut, padEnd } from "../console/layout.ts";
import { installedProviders } from "../installed_rules.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";

const ACTIONS = ["show", "schema"];

/** `panewright config show|schema`. */
export const command = defineCommand({
  description:
    `"config show" checks the configuration and prints every effective value with where it came from: a flag, an ` +
    `environment variable, a line of the file, or the default.

"config schema" prints the JSON Schema of the config file, for editors: every key with its meaning, type and default.`,
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), required: true },
    { name: "CONFIG", description: "for show: the config file; panewright.jsonc of the working directory if left out" },
  ],
  flags: CONFIG_FLAGS,
  examples: [
    { command: "config show --max-rounds 2", description: "what a run with this flag would work with" },
    { command: "config schema > panewright.schema.json", description: 'for "$schema" in the config file' },
  ],
  async run(parsed, io) {
    const [action = "", path] = parsed.positionals;
    if (action === "schema") {
      io.stdout(`${JSON.stringify(configJsonSchema(), null, 2)}\n`);
      return 0;
    }
    if (action !== "show") {
      throw new UsageError(`Cannot do "${action}" with the config${didYouMean(action, ACTIONS)}`, {
        hint: `ACTION is ${ACTIONS.join(" or ")}.`,
      });
    }
    const loaded = await loadAnyConfig({
      cwd: io.cwd,
      env: io.env,
      providers: await installedProviders(io),
      flags: parsed.flags,
      ...(path === undefined ? {} : { path }),
    });
    io.stdout(parsed.global.json ? jsonLine(toJson(loaded)) : renderTable(loaded));
    return 0;
  },
});

function toJson({ config, file, workdir, sources }: LoadedSettings): Record<string, unknown> {
  const named = Object.fromEntries([...sources].map(([path, source]) => [path, describeSource(source)]));
  return { file: file ?? null, workdir, config, sources: named };
}

function renderTable({ sources }: LoadedSettings): string {
  const rows = [...sources].map(([path, source]) => ({
    path,
    value: cut(sanitizeLine(JSON.stringify(source.value)), 60),
    source: describeSource(source),
  }));
  const pathWidth = Math.max(...rows.map(({ path }) => displayWidth(path)));
  const valueWidth = Math.max(...rows.map(({ value }) => displayWidth(value)));
  const lines = rows.map(({ path, value, source }) =>
    `${padEnd(path, pathWidth)}  ${padEnd(value, valueWidth)}  ${sanitizeLine(source)}`
  );
  return `${lines.join("\n")}\n`;
}
