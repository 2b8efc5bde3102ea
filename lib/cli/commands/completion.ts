import { COMPLETION_SCRIPTS, SHELLS } from "../completion/scripts.ts";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand } from "../console/command.ts";
import { outputLine } from "../../api/output/line.ts";

export const command = defineCommand({
  arguments: [{ name: "SHELL", description: SHELLS.join(", "), required: true, choices: SHELLS }],
  run({ positionals: [name = ""], global }, io) {
    const shell = SHELLS.find((one) => one === name);
    if (shell === undefined) {
      throw new UsageError(`Cannot complete command lines in "${name}"${didYouMean(name, SHELLS)}`, {
        hint: `SHELL is ${SHELLS.join(", ")}.`,
      });
    }
    const script = COMPLETION_SCRIPTS[shell];
    io.stdout(global.json ? outputLine("completion_script", { shell, script }) : script);
    return Promise.resolve(0);
  },
});
