import { basename, dirname } from "@std/path/posix";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { assertOwn } from "../../base/ports/state_folder.ts";
import { isLocked, tryLockFile } from "../../base/ports/lock_file.ts";
import { present } from "../../base/schema.ts";

/** A folder of one server, which nobody else can reach; removed when it is disposed of. */
interface InnerFolder extends AsyncDisposable {
  readonly path: string;
}

const PREFIX = "panewright-serve-";
const LOCK = "lock";

export async function openInnerFolder(dir?: string): Promise<InnerFolder> {
  const made = await Deno.makeTempDir({ prefix: `new-${PREFIX}`, ...present({ dir }) });
  const lock = await tryLockFile(`${made}/${LOCK}`, `process ${Deno.pid}`);
  // It has its name once it is locked: no other server takes it for one whose owner is gone.
  const path = `${dirname(made)}/${basename(made).slice("new-".length)}`;
  await Deno.rename(made, path);
  await removeLeft(dirname(path)).catch(() => {});
  return {
    path,
    async [Symbol.asyncDispose]() {
      await Deno.remove(path, { recursive: true });
      lock?.[Symbol.dispose]();
    },
  };
}

async function removeLeft(dir: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(dir)) {
    if (!isDirectory || !name.startsWith(PREFIX)) continue;
    // What cannot be looked at, or is another user's, stays.
    await removeIfLeft(`${dir}/${name}`).catch(() => {});
  }
}

async function removeIfLeft(path: string): Promise<void> {
  assertOwn(path);
  const names = [...Deno.readDirSync(path)].map(({ name }) => name);
  if (names.length === 0 || await isLocked(`${path}/${LOCK}`)) return;
  for (const name of names) if (name !== LOCK && !await isDeadSocket(`${path}/${name}`)) return;
  await Deno.remove(path, { recursive: true });
}

export async function isDeadSocket(path: string): Promise<boolean> {
  if (lstatOrUndefined(path)?.isSocket !== true) return false;
  try {
    using _alive = await Deno.connect({ transport: "unix", path });
    return false;
  } catch (error) {
    if (error instanceof Deno.errors.ConnectionRefused) return true;
    throw error;
  }
}
