import { defineCommand } from "../console/command.ts";
import { COMMANDS, findCommand } from "../command_table.ts";
import { renderCommandHelp, renderOverview } from "../console/help_text.ts";

/** `panewright help [COMMAND]`. */
export const command = defineCommand({
  description: 'Explains one command, or lists all of them. "panewright COMMAND --help" shows the same text.',
  arguments: [{ name: "COMMAND", description: "the command to explain" }],
  examples: [{ command: "help run", description: "all about the review loop" }],
  run: async (parsed, io) => {
    const [name] = parsed.positionals;
    if (name === undefined) {
      io.stdout(renderOverview(COMMANDS, io.columns()));
      return 0;
    }
    const entry = findCommand(name);
    io.stdout(renderCommandHelp(entry, (await entry.load()).command, io.columns()));
    return 0;
  },
});
