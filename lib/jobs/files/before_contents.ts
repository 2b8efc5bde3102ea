import { blobId } from "./blob_id.ts";
import { listBlobs } from "./list.ts";
import type { ReadFile } from "./snapshot.ts";

/** What files had in them before a step: git has most of it, the rest is kept in a folder, by its SHA-256. */
interface BeforeContents {
  take(file: ReadFile): Promise<void>;
  /** Rejects where git cannot tell what it has. */
  readonly known: Promise<unknown>;
  /** What of it git has: ids by names, filled by `take`. */
  readonly blobs: Readonly<Record<string, string>>;
}

/** How much is kept besides what git has; what is beyond it is not shown in a patch. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

export const MAX_SHOWN_BYTES = 1024 * 1024;

export async function keepContents(
  keptFolder: string,
  { workdir, signal }: { readonly workdir: string; readonly signal: AbortSignal },
): Promise<BeforeContents> {
  // Nothing that an agent has put there is written to.
  await Deno.remove(keptFolder, { recursive: true }).catch(() => {});
  await Deno.mkdir(keptFolder, { mode: 0o700 });
  // git is asked beside what else it is asked.
  const known = listBlobs({ folder: workdir, signal });
  known.catch(() => {});
  const blobs: Record<string, string> = Object.create(null);
  const kept = new Set<string>();
  let bytesLeft = MAX_KEPT_BYTES;
  return {
    blobs,
    known,
    async take({ name, bytes, content }) {
      const blob = (await known).get(name);
      if (blob !== undefined && blob === await blobId(bytes, blob.length)) {
        blobs[name] = blob;
        return;
      }
      if (kept.has(content) || name.startsWith("../") || bytes.length > Math.min(MAX_SHOWN_BYTES, bytesLeft)) return;
      bytesLeft -= bytes.length;
      kept.add(content);
      await Deno.writeFile(`${keptFolder}/${content}`, bytes, { mode: 0o600, createNew: true });
    },
  };
}
