import { defaultConfigFile } from "../../config/default_file.ts";
import { loadProviders } from "../../config/load.ts";
import { UsageError } from "../../base/errors.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import { sanitizeText } from "../../base/text/sanitize.ts";
import { readAgents, renderAgents } from "../agents_list.ts";
import { type CliIo, defineCommand } from "../console/command.ts";
import { wrap } from "../console/layout.ts";
import { outputLine } from "../../api/output/line.ts";
import { lookAtMachine } from "../preflight/machine_look.ts";

export const command = defineCommand({
  arguments: [{
    name: "CONFIG",
    description: "the config file whose agents are listed, too; panewright.jsonc of the working directory if left out",
  }],
  async run({ positionals: [path], global }, io) {
    const providers = await knownProviders(path, io);
    const rows = await readAgents(providers, { machine: lookAtMachine(io), workdir: io.cwd });
    if (global.json) { for (const row of rows) io.stdout(outputLine("agent", row)); }
    else {
      const width = io.isTerminal.stdout ? io.columns() : 100;
      io.stdout(renderAgents(rows, { width, color: global.color.stdout }));
      if (!global.quiet) io.stdout(`\n${wrap(MORE, width).join("\n")}\n`);
    }
    return 0;
  },
});

const MORE = "Use one as the `provider` of a role or a step. Agents of your own: docs/agents.md.";

/** All agents; those of a config that nobody has named are left out where it cannot be used, and that is told. */
async function knownProviders(path: string | undefined, io: CliIo): Promise<readonly Provider[]> {
  const file = path ?? await defaultConfigFile(io.cwd);
  if (file === undefined) return PROVIDERS;
  try {
    return await loadProviders({ path: file, cwd: io.cwd, providers: PROVIDERS });
  } catch (error) {
    if (path !== undefined || !(error instanceof UsageError)) throw error;
    io.stderr(sanitizeText(`warning: agents of ${file} are not listed: ${error.message}\n`));
    return PROVIDERS;
  }
}
