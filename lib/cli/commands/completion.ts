import { COMPLETION_SCRIPTS, SHELLS } from "../completion/scripts.ts";
import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { defineCommand } from "../console/command.ts";
import { outputLine } from "../../api/output/line.ts";

export const command = defineCommand({
  description:
    "Prints a script that lets your shell complete command lines of panewright: commands, flags and their values, runs, " +
    'roles, questions and files.\n\nbash: put `eval "$(panewright completion bash)"` into ~/.bashrc. zsh: put ' +
    "`source <(panewright completion zsh)` into ~/.zshrc, after compinit. fish: write it to " +
    "~/.config/fish/completions/panewright.fish. Start a new shell then.",
  arguments: [{ name: "SHELL", description: SHELLS.join(", "), required: true, choices: SHELLS }],
  examples: [
    { command: "completion bash", description: "the script for bash" },
    {
      command: "completion fish > ~/.config/fish/completions/panewright.fish",
      description: "keep it where fish looks for it",
    },
  ],
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
