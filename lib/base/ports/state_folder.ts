import { dirname } from "@std/path/posix";

/**
 * The folder where panewright keeps what belongs to the person and to no project: `$PANEWRIGHT_STATE_DIR`,
 * `$XDG_STATE_HOME/panewright`, or `~/.local/state/panewright`. `undefined` without a home.
 */
export function stateFolder(
  env: (name: string) => string | undefined = (name) => Deno.env.get(name),
): string | undefined {
  const [own, given, home] = [env("PANEWRIGHT_STATE_DIR"), env("XDG_STATE_HOME"), env("HOME")];
  if (own?.startsWith("/")) return own.replace(/(?<=.)\/+$/, "");
  if (given?.startsWith("/")) return `${given}/panewright`;
  return home?.startsWith("/") ? `${home}/.local/state/panewright` : undefined;
}

export const NO_STATE_FOLDER = "none of PANEWRIGHT_STATE_DIR, XDG_STATE_HOME and HOME names a folder";

export const STATE_FOLDER_HINT =
  "Set HOME, or PANEWRIGHT_STATE_DIR to a folder of your own outside of the working directory. What a run relies on is " +
  "kept there, where no agent in a sandbox can write.";

/**
 * Makes a folder that is its owner's alone (0700), with the folders above it; one that is there is made so.
 *
 * @throws {Error} when a link or another user's folder stands in its place
 */
export function makeOwnFolder(path: string): void {
  const above = dirname(path);
  try {
    Deno.mkdirSync(above, { recursive: true, mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists || error instanceof Deno.errors.NotADirectory)) throw error;
    throw new Error(`${above} is not a folder`, { cause: error });
  }
  try {
    Deno.mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
  assertOwn(path);
  if (!Deno.lstatSync(path).isDirectory) throw new Error(`${path} is not a folder`);
  Deno.chmodSync(path, 0o700);
}

/**
 * Refuses a link, and what another user owns or may write to: it says nothing about what this person wants.
 *
 * @throws {Deno.errors.NotFound} when there is nothing
 */
export function assertOwn(path: string): void {
  const { isSymlink, uid, mode } = Deno.lstatSync(path);
  if (isSymlink) throw new Error(`${path} is a link`);
  if (uid !== Deno.uid()) throw new Error(`${path} belongs to another user`);
  if (((mode ?? 0) & 0o022) !== 0) throw new Error(`${path} can be written by other users`);
}
