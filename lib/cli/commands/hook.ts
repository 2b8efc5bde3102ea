import { askHookChannel } from "../../turn/desk/hook_client.ts";
import { defineCommand, textFlag } from "../console/command.ts";

/** `panewright hook`: what the agents' CLIs run before they ask for a permission. */
export const command = defineCommand({
  flags: {
    channel: textFlag("DIR", "the folder of the run's channel"),
    role: textFlag("ROLE", "whose CLI asks"),
  },
  async run({ flags: { channel, role } }, io) {
    if (channel === undefined || role === undefined) return 0;
    const payload = new TextDecoder().decode(await io.readStdin().catch(() => new Uint8Array()));
    const output = await askHookChannel({ folder: channel, role, payload, signal: io.signal });
    if (output !== "") io.stdout(`${output}\n`);
    return 0;
  },
});
