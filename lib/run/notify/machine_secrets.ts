import { UsageError } from "../../base/errors.ts";
import { makeOwnFolder, stateFolder } from "../../base/ports/state_folder.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";

type MachineSecret = "buttons.key" | "webhook.key" | "reply-topic";

export type MachineSecrets = (name: MachineSecret) => string;

/**
 * The secrets in the person's state folder, `notify/` there; one that is missing is made. They are not in the working
 * directory, where agents read and write.
 *
 * @returns 64 hexadecimal digits each, the topic's with a name before it
 * @throws {UsageError} without a state folder; {Error} when something else stands in a file's place
 */
export function machineSecrets(state: string | undefined = stateFolder()): MachineSecrets {
  return (name) => {
    if (state === undefined) {
      throw new UsageError("Cannot keep the secrets of notifications: neither HOME nor XDG_STATE_HOME is set", {
        hint: "Set HOME: what this machine makes up for buttons and signatures is kept in the state folder.",
      });
    }
    const folder = `${state}/notify`;
    makeOwnFolder(folder);
    const path = `${folder}/${name}`;
    return read(path) ?? make(path, name);
  };
}

function read(path: string): string | undefined {
  try {
    const text = readRegularText(path, { maxBytes: 256 }).trim();
    if (!/^[\w-]{32,128}$/.test(text)) throw new Error(`${path} is not what panewright has written; remove it`);
    return text;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

function make(path: string, name: MachineSecret): string {
  const random = crypto.getRandomValues(new Uint8Array(name === "reply-topic" ? 16 : 32)).toHex();
  const draft = `${path}.${crypto.randomUUID()}`;
  try {
    using file = Deno.openSync(draft, { createNew: true, write: true, mode: 0o600 });
    file.writeSync(new TextEncoder().encode(`${name === "reply-topic" ? "panewright-" : ""}${random}\n`));
    file.syncSync();
    Deno.linkSync(draft, path);
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  } finally {
    Deno.removeSync(draft);
  }
  const made = read(path);
  if (made === undefined) throw new Error(`${path} has gone`);
  return made;
}
