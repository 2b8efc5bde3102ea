import { askHookChannel } from "../../turn/desk/hook_client.ts";
import { defineCommand } from "../console/command.ts";

/** `panewright hook`: what the agents' CLIs run before they ask for a permission. */
export const command = defineCommand({
  description:
    "Asks the run that an agent belongs to what to do about a permission, and prints the answer for the agent's CLI. " +
    "On any doubt it prints nothing and exits with 0: the CLI then opens its dialog for a person.",
  flags: [
    { name: "channel", type: "string", placeholder: "DIR", description: "the folder of the run's channel" },
    { name: "role", type: "string", placeholder: "ROLE", description: "whose CLI asks" },
  ],
  async run({ flags: { channel, role } }, io) {
    if (channel === undefined || role === undefined) return 0;
    const payload = new TextDecoder().decode(await io.readStdin().catch(() => new Uint8Array()));
    const output = await askHookChannel({ folder: channel, role, payload, signal: io.signal });
    if (output !== "") io.stdout(`${output}\n`);
    return 0;
  },
});
