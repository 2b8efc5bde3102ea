import { HumanInterventionRequiredError } from "../../base/errors.ts";
import {
  connectFleet,
  type Credentials,
  credentialsPath,
  type Fleet,
  readCredentials,
  saidOfServer,
} from "../../fleet/mod.ts";
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

/** Does something with a fleet, and tells for people what its server has not done. */
export async function withFleet(
  flag: string | undefined,
  { io, act }: { readonly io: Pick<CliIo, "env">; readonly act: (fleet: Fleet) => Promise<number> },
): Promise<number> {
  const credentials = credentialsOf(flag, io);
  try {
    await using fleet = await connectFleet(credentials);
    return await act(fleet);
  } catch (error) {
    throw saidOfServer(error, credentials.server);
  }
}

/**
 * @param what what is to be done, after "Cannot"
 * @throws {HumanInterventionRequiredError} for somebody to whom no worker listens
 */
export function requireSayer({ credentials: { name, rights } }: Fleet, what: string): void {
  if (rights === "submitter" || rights === "admin") return;
  const only = rights === "worker" ? "work" : "look";
  throw new HumanInterventionRequiredError(`Cannot ${what}: ${name} may only ${only}`, {
    hint: "Use the credentials of a submitter: --fleet FILE.",
  });
}
