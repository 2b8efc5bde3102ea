import { CONFIG_FLAGS } from "../../config/flags.ts";
import type { LoadedSettings } from "../../config/load.ts";
import { configJsonSchema } from "../../config/schema.ts";
import { describeSource } from "../../config/source.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { UsageError } from "../../base/errors.ts";
import { defineCommand } from "../console/command.ts";
import { cut } from "../../base/text/display_width.ts";
import { inColumns } from "../console/layout.ts";
import { warnAt } from "../environment.ts";
import { loadExecConfig } from "../exec_config.ts";
import { outputLine } from "../../api/output/line.ts";
import type { OutputFields } from "../../api/output/outputs.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { lookAtConfig } from "../preflight/look_at_needs.ts";
import { lookAtMachine } from "../preflight/machine_look.ts";
import { present } from "../../base/schema.ts";

const ACTIONS = ["show", "schema"];

export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: ACTIONS.join(" or "), choices: ACTIONS, required: true },
    { name: "CONFIG", description: "for show: the config file; panewright.jsonc of the working directory if left out" },
  ],
  flags: CONFIG_FLAGS,
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
    const warn = warnAt(io);
    const given = {
      withJob: true,
      programsNeeded: false,
      flags: parsed.flags,
      ...present({ path }),
    };
    const { plan, loaded } = await loadExecConfig(io, given, warn);
    io.stdout(parsed.global.json ? outputLine("config", toJson(loaded)) : renderTable(loaded));
    for (const { status, check, detail } of await lookAtConfig({ plan, loaded, programs: "all" }, lookAtMachine(io))) {
      if (status !== "ok") warn({ where: check, message: detail });
    }
    return 0;
  },
});

function toJson({ config, file, workdir, sources }: LoadedSettings): OutputFields["config"] {
  const named = Object.fromEntries([...sources].map(([path, source]) => [path, describeSource(source)]));
  return { file: file ?? null, workdir, config, sources: named };
}

function renderTable({ sources }: LoadedSettings): string {
  const rows = [...sources].map(([path, source]) => {
    const value = cut(sanitizeLine(JSON.stringify(source.value)), 60);
    return [path, value, sanitizeLine(describeSource(source))];
  });
  return `${inColumns(rows).join("\n")}\n`;
}
