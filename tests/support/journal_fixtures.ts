import { walk } from "@std/fs";
import { createSandbox, type Sandbox } from "./sandbox.ts";

/** The runs in `fixtures/journals`. */
export const JOURNAL_FIXTURES = ["killed_at_a_dialog", "waiting_at_a_question", "passed_after_resume"] as const;
export type JournalFixture = typeof JOURNAL_FIXTURES[number];

/** What stands in a fixture for the folder that it is unpacked in. */
export const ROOT_PLACEHOLDER = "{{root}}";

const FIXTURES = new URL("../../fixtures/journals/", import.meta.url).pathname;

/** A project with a run that an older version has left. */
export interface UnpackedJournal extends AsyncDisposable {
  readonly sandbox: Sandbox;
  readonly runId: string;
  /** The run's folder. */
  readonly folder: string;
  /** What the older version showed of it. */
  readonly shown: ShownRun;
}

/** What `--json` printed. */
export interface ShownRun {
  readonly runs: readonly Record<string, unknown>[];
  readonly status: Readonly<Record<string, unknown>>;
  readonly questions: readonly Record<string, unknown>[];
}

/**
 * Unpacks a fixture into a sandbox. What depends on the sandbox's path is computed anew: the sizes and hashes of
 * messages, and the chain of the audit log.
 */
export async function unpackJournal(name: JournalFixture): Promise<UnpackedJournal> {
  const sandbox = await createSandbox();
  const { root, project } = sandbox;
  const source = `${FIXTURES}${name}/`;
  for await (const { path } of walk(source, { includeDirs: false })) {
    const target = `${root}/${path.slice(source.length).replace(/^panewright\//, "project/.panewright/")}`;
    await Deno.mkdir(target.slice(0, target.lastIndexOf("/")), { recursive: true });
    await Deno.writeTextFile(target, await readFixture(path.slice(FIXTURES.length), root), {
      mode: target.startsWith(`${root}/bin/`) ? 0o755 : 0o600,
    });
  }
  const [run] = await Array.fromAsync(Deno.readDir(`${project}/.panewright/runs`));
  if (run === undefined) throw new TypeError(`There is no run in ${source}`);
  const folder = `${project}/.panewright/runs/${run.name}`;
  const auditEnd = await chainAnew(`${folder}/audit.ndjson`);
  await changeLines(`${folder}/journal.ndjson`, async (record) => {
    if (record["type"] === "message_sending") {
      const bytes = await Deno.readFile(`${folder}/${record["file"]}`);
      return { ...record, bytes: bytes.length, sha256: await sha256(bytes) };
    }
    return record["audit"] === undefined ? record : { ...record, audit: auditEnd };
  });
  return {
    sandbox,
    runId: run.name,
    folder,
    shown: JSON.parse(await readFixture(`${name}/shown.json`, root)),
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  };
}

/** The text of a file of `fixtures/journals`, with a folder for the placeholder. */
export async function readFixture(path: string, root: string): Promise<string> {
  return (await Deno.readTextFile(`${FIXTURES}${path}`)).replaceAll(ROOT_PLACEHOLDER, root);
}

type Json = Readonly<Record<string, unknown>>;

/** Computes the hashes of an audit log anew; the result is its end, as a journal has it. */
async function chainAnew(path: string): Promise<Json | undefined> {
  let end: { readonly records: number; readonly hash: string } | undefined;
  await changeLines(path, async ({ hash: _, ...record }) => {
    const fields = sortKeys({ ...record, ...(end === undefined ? {} : { prev: end.hash }) });
    const hash = await sha256(new TextEncoder().encode(JSON.stringify(fields)));
    end = { records: (end?.records ?? 0) + 1, hash };
    return sortKeys({ ...fields, hash });
  });
  return end;
}

/** The records of the log are flat, but for lists. */
function sortKeys(record: Json): Json {
  return Object.fromEntries(Object.entries(record).sort(([left], [right]) => left < right ? -1 : 1));
}

async function changeLines(path: string, change: (record: Json) => Json | Promise<Json>): Promise<void> {
  const text = await Deno.readTextFile(path).catch(() => undefined);
  if (text === undefined) return;
  const lines: string[] = [];
  for (const line of text.split("\n").slice(0, -1)) lines.push(`${JSON.stringify(await change(JSON.parse(line)))}\n`);
  await Deno.writeTextFile(path, lines.join(""));
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
}
