import { DIR, type TranscriptFile } from "./transcript.ts";

/** All files below a folder, by their paths. Times are made the same. */
export async function filesIn(folder: string): Promise<ReadonlyMap<string, TranscriptFile>> {
  const found = new Map<string, TranscriptFile>();
  const look = async (below: string) => {
    for await (const { name, isDirectory, isSymlink, isFile } of Deno.readDir(`${folder}/${below}`)) {
      const path = `${folder}/${below}${name}`;
      if (isDirectory) await look(`${below}${name}/`);
      else if (isSymlink) {
        found.set(`${below}${name}`, { kind: "link", text: inTranscript(await Deno.readLink(path), folder) });
      } else if (isFile) {
        const { mode } = await Deno.stat(path);
        const text = inTranscript(new TextDecoder().decode(await Deno.readFile(path)), folder);
        found.set(`${below}${name}`, {
          kind: ((mode ?? 0) & 0o100) !== 0 ? "program" : "file",
          text: text.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, "TIME"),
        });
      }
    }
  };
  await look("");
  return found;
}

/** The same on every machine; STATE is the person's state folder where the call has none of its own. */
export function inTranscript(text: string, folder: string): string {
  const state = Deno.env.get("XDG_STATE_HOME") ?? folder;
  return text.replaceAll(folder, DIR).replaceAll(state, "STATE").replaceAll(
    /\b\w{8}-\w{4}-4\w{3}-\w{4}-\w{12}\b/g,
    "UUID",
  ).replaceAll(
    /(?<=\bdeno )\d+\.\S+ [\w-]+/g,
    "VERSION, PLATFORM",
  )
    .replaceAll(/(?<=\btmux )\d+\.\w+/g, "VERSION");
}

/** Longer files are not told: it would be what another command prints. */
const MAX_TOLD = 4096;

/** What is different now: undefined is what is gone. */
export function changesOf(
  before: ReadonlyMap<string, TranscriptFile>,
  now: ReadonlyMap<string, TranscriptFile>,
): Record<string, TranscriptFile | undefined> {
  const changed = [...now].filter(([path, { text }]) => before.get(path)?.text !== text)
    .map(([path, file]) => [path, file.text.length > MAX_TOLD ? { ...file, text: "(long)\n" } : file] as const);
  const gone = [...before.keys()].filter((path) => !now.has(path)).map((path) => [path, undefined] as const);
  return Object.fromEntries([...changed, ...gone].toSorted(([left], [right]) => left < right ? -1 : 1));
}
