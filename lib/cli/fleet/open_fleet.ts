import { connectFleet, type Credentials, credentialsPath, type Fleet, readCredentials } from "../../fleet/mod.ts";
import { type CliIo, textFlag } from "../console/command.ts";
import { commandInForm, startOfThis } from "../start_form.ts";

export const FLEET_FLAG = textFlag(
  "FILE",
  "the credentials of the fleet (default: PANEWRIGHT_FLEET, or fleet.json of the config folder)",
);

/** How a person calls panewright here. */
export function callOf(io: Pick<CliIo, "cwd" | "env">): (...words: readonly string[]) => string {
  const start = startOfThis(io);
  return (...words) => commandInForm(words, start);
}

export function credentialsOf(flag: string | undefined, io: Pick<CliIo, "env">): Credentials {
  return readCredentials(flag ?? credentialsPath((name) => io.env(name)));
}

export async function openFleet(flag: string | undefined, io: Pick<CliIo, "env">): Promise<Fleet> {
  return await connectFleet(credentialsOf(flag, io));
}
