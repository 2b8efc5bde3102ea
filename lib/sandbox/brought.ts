import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { sha256Hex } from "../base/text/digest.ts";

/** Files of the library that run inside: a bundle and an executable have none of their own that another program could run. */
interface BroughtFiles {
  /** Bars Unix sockets. */
  readonly seccomp: string;
  /** By which programs in Java use the proxy. */
  readonly javaAgent: string;
}

/**
 * The paths of those files, which are made where they are missing or were changed.
 *
 * @param folder absolute path of the folder for them
 * @throws {Error} for a machine that there is none for
 */
export async function placeBrought(folder: string): Promise<BroughtFiles> {
  const { BROUGHT } = await import("./panewright-sandbox.mjs");
  makeOwnFolder(folder);
  const place = async (name: string): Promise<string> => {
    const file = Object.entries(BROUGHT).find(([one]) => one === name)?.[1];
    if (file === undefined) throw new Error(`there is no ${name} for this machine`);
    const { sha256, gzip } = file;
    const path = `${folder}/${sha256.slice(0, 12)}-${name}`;
    if (await hashOf(path) === sha256) return path;
    const packed = new Blob([Uint8Array.fromBase64(gzip)]).stream();
    const bytes = await new Response(packed.pipeThrough(new DecompressionStream("gzip"))).bytes();
    await placeFile(path, { bytes, mode: 0o700 });
    return path;
  };
  return { seccomp: await place(`apply-seccomp-${Deno.build.arch}`), javaAgent: await place("srt-proxy-agent.jar") };
}

/** The path of a file with a text that programs inside are shown in another one's place; it is made where it is missing. */
export async function placeText(folder: string, text: string): Promise<string> {
  const sha256 = await sha256Hex(text);
  const path = `${folder}/${sha256.slice(0, 12)}-text`;
  if (await hashOf(path) !== sha256) await placeFile(path, { bytes: new TextEncoder().encode(text), mode: 0o444 });
  return path;
}

async function placeFile(
  path: string,
  { bytes, mode }: { readonly bytes: Uint8Array; readonly mode: number },
): Promise<void> {
  const draft = `${path}.${crypto.randomUUID()}`;
  await Deno.writeFile(draft, bytes, { createNew: true, mode });
  await Deno.rename(draft, path);
}

async function hashOf(path: string): Promise<string | undefined> {
  try {
    return Deno.lstatSync(path).isFile ? await sha256Hex(await Deno.readFile(path)) : undefined;
  } catch {
    return undefined;
  }
}
