import { HumanInterventionRequiredError } from "../base/errors.ts";
import { lstatOrUndefined } from "../base/ports/files.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { byteSize } from "../journal/words/words.ts";
import { listWorkspaces, placesOf } from "./workspace.ts";

interface Asking {
  readonly signal: AbortSignal;
}

/** How much may be used before a person is told that it gets narrow. */
const TOLD_AT = 0.8;

const LARGEST_NAMED = 3;

/**
 * How many bytes folders take on the disk, each as by `du`; of one that is not there, none. What two of them share counts in the
 * first.
 *
 * @throws where that cannot be told
 */
export async function diskUse(folders: readonly string[], { signal }: Asking): Promise<readonly number[]> {
  const there = folders.filter((folder) => lstatOrUndefined(folder)?.isDirectory === true);
  if (there.length === 0) return folders.map(() => 0);
  const { code, stderr, stdout } = await systemProcessRunner.run({
    argv: ["du", "-sk", "--", ...there],
    env: { LC_ALL: "C" },
    signal,
  });
  const sizes = new Map(
    stdout.split("\n").flatMap((row) => {
      const [, kilobytes, folder] = /^(\d+)\t(.+)$/.exec(row) ?? [];
      return folder === undefined ? [] : [[folder, Number(kilobytes) * 1024] as const];
    }),
  );
  // Files that go meanwhile make it complain.
  const lost = there.find((folder) => !sizes.has(folder));
  if (lost !== undefined) throw new Error(`du says of ${lost}: ${stderr.trim() || `exit code ${code}`}`);
  return folders.map((folder) => sizes.get(folder) ?? 0);
}

/**
 * Makes sure that there may be another workspace.
 *
 * @param maxBytes `workspace.max_disk`: how much all of them, with the stores that they borrow from, may take
 * @throws {HumanInterventionRequiredError} where they take that much, or nobody can tell
 */
export async function requireRoom(
  maxBytes: number,
  { signal, warn }: Asking & { readonly warn: (message: string) => void },
): Promise<void> {
  const { stores } = placesOf();
  const own = listWorkspaces().filter(({ isTarget }) => isTarget !== true);
  const [kept = 0, ...each] = await diskUse([stores, ...own.map(({ tree }) => tree)], { signal })
    .catch((cause) => {
      throw new HumanInterventionRequiredError("Cannot open a workspace: nobody can tell how much all of them take", {
        cause,
        hint: "workspace.max_disk needs the program du.",
      });
    });
  const used = each.reduce((sum, bytes) => sum + bytes, kept);
  const told = `workspaces take ${byteSize(used)}, and workspace.max_disk is ${byteSize(maxBytes)}`;
  const sized = own.map(({ name }, at) => ({ name, bytes: each[at] ?? 0 }));
  const largest = sized.toSorted((one, other) => other.bytes - one.bytes).slice(0, LARGEST_NAMED);
  const named = largest.map(({ bytes, name }) => `panewright discard ${name} (${byteSize(bytes)})`).join(", ");
  const hint = named === "" ? `What is kept is in ${stores}.` : `Remove what you do not need: ${named}.`;
  if (used >= maxBytes) throw new HumanInterventionRequiredError(`Cannot open a workspace: ${told}`, { hint });
  if (used >= maxBytes * TOLD_AT) warn(`${told}. ${hint}`);
}
