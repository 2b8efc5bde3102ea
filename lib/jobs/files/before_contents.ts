import { blobId } from "./blob_id.ts";
import type { FileContent } from "./snapshot.ts";

/** What files had in them before a step: git has most of it, the rest is kept in a folder, by its SHA-256. */
interface BeforeContents {
  take(file: FileContent): Promise<void>;
  /** What of it git has: ids by names, filled by `take`. */
  readonly blobs: Readonly<Record<string, string>>;
}

/** How much is kept besides what git has; what is beyond it is not shown in a patch. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;

export const MAX_SHOWN_BYTES = 1024 * 1024;

export async function keepContents(keptFolder: string): Promise<BeforeContents> {
  // Nothing that an agent has put there is written to.
  await Deno.remove(keptFolder, { recursive: true }).catch(() => {});
  await Deno.mkdir(keptFolder, { mode: 0o700 });
  const blobs: Record<string, string> = Object.create(null);
  const kept = new Set<string>();
  let bytesLeft = MAX_KEPT_BYTES;
  return {
    blobs,
    async take({ name, bytes, blob, content }) {
      if (name.startsWith("../")) return;
      if (blob !== undefined && (bytes === undefined || blob === await blobId(bytes, blob.length))) {
        blobs[name] = blob;
        return;
      }
      if (bytes === undefined || kept.has(content) || bytes.length > Math.min(MAX_SHOWN_BYTES, bytesLeft)) return;
      bytesLeft -= bytes.length;
      kept.add(content);
      await Deno.writeFile(`${keptFolder}/${content}`, bytes, { mode: 0o600, createNew: true });
    },
  };
}
