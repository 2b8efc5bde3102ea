import { outputLine } from "../../api/output/line.ts";
import { type Command, type CommandEntry, defineCommand } from "../console/command.ts";
import { helpOf, listed } from "../console/help.ts";
import { renderCommandHelp, renderOverview } from "../console/help_text.ts";

export function helpCommand(entries: readonly CommandEntry[], find: (name: string) => CommandEntry): Command {
  return defineCommand({
    arguments: [{ name: "COMMAND", description: "the command to explain", completes: ["commands"] }],
    async run({ positionals: [name], global: { json } }, io) {
      if (name === undefined) {
        const rows = () => listed(entries).map((row) => outputLine("command", row)).join("");
        io.stdout(json ? rows() : renderOverview(entries, io.columns()));
        return 0;
      }
      const help = await helpOf(find(name));
      const args = help.arguments.map(({ text: _text, ...shown }) => shown);
      io.stdout(
        json ? outputLine("command", { ...help, arguments: args }) : renderCommandHelp(help, io.columns()),
      );
      return 0;
    },
  });
}
