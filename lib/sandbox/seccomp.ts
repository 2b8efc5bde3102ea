import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { sha256Hex } from "../base/text/digest.ts";

/**
 * The path of the program that bars Unix sockets, which is made where it is missing: a bundle and an executable have no
 * files of their own that another program could run.
 *
 * @param folder absolute path of the folder for it
 * @throws {Error} for a machine that there is none for
 */
export async function placeSeccomp(folder: string): Promise<string> {
  const { SECCOMP } = await import("./panewright-sandbox.mjs");
  const text = Object.entries(SECCOMP).find(([arch]) => arch === Deno.build.arch)?.[1];
  if (text === undefined) throw new Error(`there is no program that bars Unix sockets for ${Deno.build.arch}`);
  const stream = new Blob([Uint8Array.fromBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  const program = await new Response(stream).bytes();
  const hash = await sha256Hex(program);
  makeOwnFolder(folder);
  const path = `${folder}/apply-seccomp-${hash.slice(0, 12)}`;
  if (await hashOf(path) === hash) return path;
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeFile(draft, program, { createNew: true, mode: 0o700 });
  await Deno.rename(draft, path);
  return path;
}

async function hashOf(path: string): Promise<string | undefined> {
  try {
    return Deno.lstatSync(path).isFile ? await sha256Hex(await Deno.readFile(path)) : undefined;
  } catch {
    return undefined;
  }
}
