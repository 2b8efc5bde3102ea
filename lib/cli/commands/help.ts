import { type Command, type CommandEntry, defineCommand } from "../console/command.ts";
import { renderCommandHelp, renderOverview } from "../console/help_text.ts";
import { commandLine, overviewLines } from "../help_lines.ts";

export function helpCommand(entries: readonly CommandEntry[], find: (name: string) => CommandEntry): Command {
  return defineCommand({
    description: 'Explains one command, or lists all of them. "panewright COMMAND --help" shows the same text.',
    arguments: [{ name: "COMMAND", description: "the command to explain", completes: ["commands"] }],
    examples: [{ command: "help run", description: "all about the review loop" }],
    run: async (parsed, io) => {
      const [name] = parsed.positionals;
      const { json } = parsed.global;
      if (name === undefined) {
        io.stdout(json ? overviewLines(entries) : renderOverview(entries, io.columns()));
        return 0;
      }
      const entry = find(name);
      const { command } = await entry.load();
      io.stdout(json ? commandLine(entry, command) : renderCommandHelp(entry, command, io.columns()));
      return 0;
    },
  });
}
