import type { Problem } from "../../config/layers.ts";
import { ConfigError } from "../../config/load.ts";
import { defineCommand } from "../console/command.ts";
import { loadExecConfig } from "../exec_config.ts";
import { jsonLine, sanitizeText } from "../../text/sanitize.ts";
import { plural } from "../show/words.ts";

/** `panewright validate [CONFIG]` */
export const command = defineCommand({
  description:
    "Checks the configuration with its pipelines: every key and value, prompt files, programs, globs and names. Reports all " +
    "mistakes at once, each with file, line and key. Nothing is started.\n\nExit codes: 0 the configuration can be used (there " +
    "may be warnings), 2 it cannot.",
  arguments: [{
    name: "CONFIG",
    description: "the config file; panewright.jsonc of the working directory if left out",
  }],
  examples: [
    { command: "validate", description: "panewright.jsonc of this folder" },
    { command: "validate --json ci.jsonc", description: "one JSON object for each mistake" },
  ],
  async run({ positionals, global }, io) {
    const [path] = positionals;
    const warnings: Problem[] = [];
    const problems: Problem[] = [];
    try {
      await loadExecConfig(io, path === undefined ? {} : { path }, (warning) => warnings.push(warning));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      problems.push(...error.problems);
    }
    const findings = [
      ...problems.map((problem) => ({ level: "error", ...problem })),
      ...warnings.map((warning) => ({ level: "warning", ...warning })),
    ];
    for (const { level, where, message, position } of findings) {
      if (global.json) io.stdout(jsonLine({ level, where, message, ...position }));
      else io.stdout(sanitizeText(`${level}: ${where === "" ? "" : `${where}: `}${message}\n`));
    }
    if (!global.json && !global.quiet) {
      io.stdout(`${plural(problems.length, "error")}, ${plural(warnings.length, "warning")}\n`);
    }
    return problems.length === 0 ? 0 : 2;
  },
});
