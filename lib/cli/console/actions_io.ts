import type { CliIo } from "./command.ts";
import { withoutCommands, workflowCommand } from "./workflow_commands.ts";

/**
 * The command line in a job of GitHub Actions, where `GITHUB_ACTIONS` is `true`: nothing that is written acts upon the
 * runner but `workflow`. Elsewhere it is the command line as it is.
 */
export function actionsIo(io: CliIo): CliIo {
  if (io.env("GITHUB_ACTIONS") !== "true") return io;
  return {
    ...io,
    stdout: (text) => io.stdout(withoutCommands(text)),
    stderr: (text) => io.stderr(withoutCommands(text)),
    // With the progress lines, which it groups.
    workflow: (command) => io.stderr(workflowCommand(command)),
  };
}
