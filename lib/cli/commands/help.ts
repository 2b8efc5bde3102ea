import { type Command, type CommandEntry, defineCommand } from "../console/command.ts";
import { renderCommandHelp, renderOverview } from "../console/help_text.ts";

/**
 * `panewright help [COMMAND]`. The table that it explains is handed in: it is also where this command stands.
 *
 * @param find throws {@linkcode UsageError} for a name that is not in the table
 */
export function helpCommand(entries: readonly CommandEntry[], find: (name: string) => CommandEntry): Command {
  return defineCommand({
    description: 'Explains one command, or lists all of them. "panewright COMMAND --help" shows the same text.',
    arguments: [{ name: "COMMAND", description: "the command to explain" }],
    examples: [{ command: "help run", description: "all about the review loop" }],
    run: async (parsed, io) => {
      const [name] = parsed.positionals;
      if (name === undefined) {
        io.stdout(renderOverview(entries, io.columns()));
        return 0;
      }
      const entry = find(name);
      io.stdout(renderCommandHelp(entry, (await entry.load()).command, io.columns()));
      return 0;
    },
  });
}
