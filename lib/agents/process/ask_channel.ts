import { readRegularText } from "../../base/ports/regular_file.ts";
import { watchFolder } from "../../base/follow/folder_watch.ts";
import { objectOf, parseJsonObject, textOf } from "../../base/text/json.ts";

export const ATTEMPT_VARIABLE = "PANEWRIGHT_ATTEMPT";

interface RecordedAsk {
  readonly question: string;
  readonly attempt: string;
  readonly askedAt: string;
}

export async function recordAsk(folder: string, ask: RecordedAsk): Promise<void> {
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  const name = crypto.randomUUID();
  const staging = `${folder}/.${name}.new`;
  const file = await Deno.open(staging, { createNew: true, write: true, mode: 0o600 });
  try {
    const bytes = new TextEncoder().encode(`${JSON.stringify({ version: 1, ...ask })}\n`);
    for (let written = 0; written < bytes.length;) written += await file.write(bytes.subarray(written));
    await file.syncData();
  } finally {
    file.close();
  }
  await Deno.rename(staging, `${folder}/${name}.json`);
}

/** The most that a recorded question may have: 1 MiB. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** Looks at the folder even though no event said so. */
const RESCAN_MS = 250;

/**
 * The questions of one attempt, as they are recorded, until `signal` is aborted. Those that are there by then are still
 * given out; questions of other attempts never are.
 */
export async function* followAsks(
  folder: string,
  { attempt, signal }: { readonly attempt: string; readonly signal: AbortSignal },
): AsyncGenerator<string> {
  const seen = new Set<string>();
  const watch = watchFolder(folder);
  for (;;) {
    const last = signal.aborted;
    const asks = await readAsks(folder, seen);
    yield* asks.flatMap((ask) => ask.attempt === attempt ? [ask.question] : []);
    if (last) return;
    await watch.wait(RESCAN_MS, signal).catch(() => {});
  }
}

export async function readAsks(folder: string, seen: Set<string> = new Set()): Promise<readonly RecordedAsk[]> {
  const names = (await listRecords(folder)).filter((name) => !seen.has(name));
  for (const name of names) seen.add(name);
  const asks = names.flatMap((name) => readRecord(`${folder}/${name}`) ?? []);
  return asks.sort((one, other) => one.askedAt < other.askedAt ? -1 : 1);
}

async function listRecords(folder: string): Promise<string[]> {
  try {
    const entries = await Array.fromAsync(Deno.readDir(folder));
    // A link could lead out of the folder, to what an agent has no business with.
    return entries.filter(({ name, isFile }) => isFile && /^[\w-]+\.json$/.test(name)).map(({ name }) => name);
  } catch {
    return [];
  }
}

function readRecord(path: string): RecordedAsk | undefined {
  const record = objectOf(parseJsonObject(readOwnText(path)));
  const question = textOf(record["question"])?.trim() ?? "";
  if (question === "") return undefined;
  return { question, attempt: textOf(record["attempt"]) ?? "", askedAt: textOf(record["askedAt"]) ?? "" };
}

function readOwnText(path: string): string {
  try {
    return readRegularText(path, { maxBytes: MAX_RECORD_BYTES });
  } catch {
    return "";
  }
}
