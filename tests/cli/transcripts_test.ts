import { assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { basename, dirname } from "@std/path/posix";
import { lstatOrUndefined } from "../../lib/base/ports/files.ts";
import { tryLockFile } from "../../lib/base/ports/lock_file.ts";
import { callCli } from "../support/call_cli.ts";
import { present } from "../../lib/base/schema.ts";
import { asProgram, denoDirectory } from "../support/run_panewright.ts";
import { tempDir } from "../support/temp_dir.ts";
import {
  DIR,
  formatTranscripts,
  parseTranscripts,
  type TranscriptCall,
  type TranscriptFile,
  type Transcripts,
} from "../support/transcript.ts";
import { changesOf, filesIn, inTranscript } from "../support/transcript_folder.ts";

const FOLDER = new URL("transcripts/", import.meta.url);

/** What the programs have that a call starts, where it says nothing else. */
const HOST = { PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", DENO_DIR: denoDirectory(), TZ: "UTC" };

/** Writes what comes out in place of what should: look at the difference before you keep it. */
const UPDATES = Deno.env.get("UPDATE_TRANSCRIPTS") === "1";

for (const { name } of [...Deno.readDirSync(FOLDER)].toSorted((left, right) => left.name < right.name ? -1 : 1)) {
  const file = new URL(name, FOLDER);
  const { shared, cases } = parseTranscripts(Deno.readTextFileSync(file));
  if (UPDATES) {
    Deno.test(`${name} is written anew`, async () => {
      const anew = [];
      for (const each of cases) anew.push({ ...each, calls: await play(each.calls, shared) });
      await Deno.writeTextFile(file, formatTranscripts({ shared, cases: anew }));
    });
  } else {
    for (const { name: about, calls } of cases) {
      Deno.test(`${name.replace(/\.txt$/, "")}: ${about}`, async () => assertEquals(await play(calls, shared), calls));
    }
  }
}

/** The same calls with what has come of them. */
async function play(
  calls: readonly TranscriptCall[],
  shared: Transcripts["shared"],
): Promise<readonly TranscriptCall[]> {
  await using dir = await tempDir();
  const here = (text: string) => text.replaceAll(DIR, dir.path);
  const played: TranscriptCall[] = [];
  let env: Readonly<Record<string, string>> = shared.env ?? {};
  for (const [path, file] of Object.entries(shared.files)) await put(`${dir.path}/${path}`, file, here);
  using _clock = clockAt(shared.now);
  for (const call of calls) {
    const { files, cwd = "", stdin, keys, terminal = "", columns } = call;
    for (const [path, file] of Object.entries(files)) await put(`${dir.path}/${path}`, file, here);
    using _held = await hold(call.held, dir.path);
    env = call.env ?? env;
    const before = await filesIn(dir.path);
    const place = {
      cwd: cwd === "" ? dir.path : `${dir.path}/${cwd}`,
      env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, here(value)])),
    };
    const callHere = () =>
      callCli(call.args.map(here), {
        ...place,
        terminal: terminal.split(" ").filter((stream) =>
          stream === "stdin" || stream === "stdout" || stream === "stderr"
        ),
        ...(columns === undefined ? {} : { columns: Number(columns) }),
        ...(stdin === undefined ? {} : { stdin: here(stdin) }),
        ...(keys === undefined ? {} : { keys: JSON.parse(keys).map((key: string | null) => key ?? undefined) }),
      });
    const host = { ...HOST, ...present({ XDG_STATE_HOME: Deno.env.get("XDG_STATE_HOME") }) };
    const { code, stdout, stderr } = await asProgram({ ...place, env: { ...host, ...place.env } }, callHere);
    const texts = { stdout: inTranscript(stdout, dir.path), stderr: inTranscript(stderr, dir.path) };
    const wrote = changesOf(before, await filesIn(dir.path));
    played.push({ ...call, code, ...texts, wrote: Object.fromEntries(Object.entries(wrote).map(plain)) });
  }
  return played;
}

/** Has the clock stand still. */
function clockAt(now: string | undefined): Disposable {
  const real = Date;
  if (now !== undefined) {
    const at = real.parse(now);
    globalThis.Date = class extends real {
      constructor(...given: []) {
        super(...(given.length === 0 ? [at] as unknown as [] : given));
      }
      static override now = () => at;
    } as DateConstructor;
  }
  return { [Symbol.dispose]: () => void (globalThis.Date = real) };
}

/** Holds locks as the process does that executes a run. */
async function hold(held: string | undefined, folder: string): Promise<Disposable> {
  const stack = new DisposableStack();
  for (const one of held?.split(", ") ?? []) {
    const [path = "", ...owner] = one.split(" ");
    stack.use(await tryLockFile(`${folder}/${path}`, owner.join(" ")));
  }
  return stack;
}

/** A transcript does not say of what kind a file is that was written. */
function plain([path, file]: [string, TranscriptFile | undefined]): [string, TranscriptFile | undefined] {
  return [path, file && { kind: "file", text: file.text }];
}

async function whereIs(name: string): Promise<string> {
  for (const folder of HOST.PATH.split(":")) if (await exists(`${folder}/${name}`)) return `${folder}/${name}`;
  throw new Error(`Cannot test without ${name}`);
}

async function put(path: string, file: TranscriptFile | undefined, here: (text: string) => string): Promise<void> {
  const stands = lstatOrUndefined(path);
  if (stands?.isFile === false || file === undefined) await Deno.remove(path, { recursive: true });
  if (file === undefined) return;
  await Deno.mkdir(dirname(path), { recursive: true });
  if (file.kind === "tool") return await Deno.symlink(await whereIs(basename(path)), path);
  if (file.kind === "link") {
    if (stands?.isFile === true) await Deno.remove(path);
    return await Deno.symlink(here(file.text), path);
  }
  await Deno.writeTextFile(path, here(file.text));
  await Deno.chmod(path, file.kind === "program" ? 0o755 : 0o644);
}
