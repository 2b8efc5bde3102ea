import type { Clock } from "../base/ports/clock.ts";
import { makeOwnFolder } from "../base/ports/state_folder.ts";
import { systemProcessRunner } from "../base/ports/process.ts";
import { type ProcessGroup, startProcessGroup } from "../base/ports/process_group.ts";
import { findPidsByEntry, findProcess } from "../base/ports/process_table.ts";
import { trySignal } from "../base/ports/process.ts";
import { isAbsence } from "../base/ports/files.ts";
import { openListeners } from "./escape_listeners.ts";
import type { Escape } from "./escapes.ts";
import { isPlaceholder } from "./placeholders.ts";

/** How an escape came out. */
export interface Tried {
  readonly name: string;
  /** `limit`: it is not held, as is known. */
  readonly outcome: "held" | "not_held" | "limit" | "untried";
  /** What was seen of it outside, why that is known, or why it could not be tried. */
  readonly detail?: string;
}

interface Inside {
  readonly confine: (argv: readonly [string, ...string[]]) => Promise<readonly string[]>;
  readonly onEnd?: () => Promise<void>;
}

/** What escapes are tried on: something of each kind outside of the sandbox, of which a change is seen. */
export interface EscapeStage extends AsyncDisposable {
  /** The working directory of what is inside. */
  readonly workdir: string;
  /**
   * Tries one.
   *
   * @param inside `confine` gives the argv that runs a program inside, `onEnd` does what is done when it has ended, before
   * anything outside obeys what it has made
   */
  attempt(escape: Escape, inside: Inside): Promise<Tried>;
}

interface StageOptions {
  readonly home: string;
  /** panewright's state folder. */
  readonly state: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** How long an attempt may take: most requests give up after three seconds. */
const LONGEST_MS = 20_000;

/** What of a working directory is obeyed outside later. */
const OBEYED = [
  ...[".git/hooks/post-checkout", ".git/config", "panewright.jsonc", ".claude/settings.json", ".codex/config.toml"],
  ...[".mcp.json", ".envrc", ".vscode/tasks.json"],
];

const GIT = ["hooks", "objects", "refs"] as const;

export async function setEscapeStage({ home, state, clock, signal }: StageOptions): Promise<EscapeStage> {
  await using stack = new AsyncDisposableStack();
  const id = crypto.randomUUID();
  const root = await Deno.makeTempDir({ prefix: "panewright-escapes-" });
  stack.defer(() => Deno.remove(root, { recursive: true }).catch(() => {}));
  const [outside, workdir, kept] = [`${root}/outside`, `${root}/work`, `${state}/escapes-${id}`];
  for (const folder of [outside, ...GIT.map((name) => `${workdir}/.git/${name}`)]) {
    await Deno.mkdir(folder, { recursive: true });
  }
  makeOwnFolder(kept);
  stack.defer(() => Deno.remove(kept, { recursive: true }).catch(() => {}));
  const secret = `secret-${id}`;
  const [inHome, inEtc] = [`${home}/.panewright-escape-${id}`, `/etc/panewright-escape-${id}`];
  for (const path of [inHome, inEtc]) stack.defer(() => Deno.remove(path).catch(() => {}));
  await Deno.writeTextFile(`${workdir}/.git/config`, "[core]\n");
  await Deno.writeTextFile(`${workdir}/.git/HEAD`, "ref: refs/heads/main\n");
  await Deno.writeTextFile(`${kept}/secret`, secret, { mode: 0o600 });
  const other = stack.use(otherProcess({ outside, secret, id, clock, signal }));
  await other.pid();
  const listeners = stack.use(openListeners({ path: `${outside}/socket`, name: `panewright-${id}` }));
  const singles = [inHome, inEtc, ...OBEYED.map((name) => `${workdir}/${name}`)];
  const look = () => lookAt({ folders: [outside, kept], singles });
  const variables = {
    ...{ OUT: outside, HOMEFILE: inHome, ETC: inEtc, STATE: kept, ID: id },
    ...{ PORT: listeners.port, PORT6: listeners.port6, ABSTRACT: listeners.abstractName },
    HAS_SSH: await exists(`${home}/.ssh`) ? "yes" : "",
  };
  const resources = stack.move();
  return {
    workdir,
    async attempt({ name, limit, ...escape }, { confine, onEnd }) {
      signal.throwIfAborted();
      const pid = await other.pid();
      // One before it may have got out.
      await Deno.writeTextFile(`${outside}/file`, "as it was\n");
      await Deno.chmod(`${outside}/file`, 0o644);
      const before = await look();
      listeners.forget();
      const [program = "", ...args] = await confine(argvOf(escape, { ...variables, PID: pid }));
      const { stdout } = await systemProcessRunner.run({
        ...{ argv: [program, ...args], cwd: workdir, env: { ESCAPE_SECRET: secret }, timeoutMs: LONGEST_MS, signal },
      });
      await onEnd?.();
      if (escape.obeyedBy !== undefined) {
        await systemProcessRunner.run({
          argv: [escape.obeyedBy, "status"],
          cwd: workdir,
          timeoutMs: LONGEST_MS,
          signal,
        });
      }
      const said = (word: string) => new RegExp(`^${word}: (.*)$`, "m").exec(stdout)?.[1];
      const found = said("ESCAPED") ?? (stdout.includes(secret) ? "it has read a secret" : undefined) ??
        listeners.hit() ?? changeIn(before, await look()) ??
        (await findProcess(pid) === undefined ? "the other process has ended" : undefined) ??
        await leftBehind(id);
      if (found !== undefined && limit !== undefined) return { name, outcome: "limit", detail: limit };
      if (found !== undefined) return { name, outcome: "not_held", detail: found };
      const untried = said("UNTRIED");
      return untried === undefined ? { name, outcome: "held" } : { name, outcome: "untried", detail: untried };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A process of the same user, with a secret, an open file and a pipe that it reads; a new one where it has ended. */
function otherProcess(
  { outside, secret, id, clock, signal }: Pick<StageOptions, "clock" | "signal"> & {
    readonly outside: string;
    readonly secret: string;
    readonly id: string;
  },
) {
  let group: ProcessGroup | undefined;
  return {
    async pid(): Promise<number> {
      if (group !== undefined && await findProcess(group.pid) !== undefined) return group.pid;
      await group?.stop();
      await Deno.remove(`${outside}/up`).catch(() => {});
      group = startProcessGroup({
        ...{ argv: ["/bin/sh", "-c", OTHER], cwd: outside, env: { ESCAPE_SECRET: secret }, clock },
        ...{ mark: { name: "ESCAPE_STAGE", value: id }, onStdout: () => {}, onStderr: () => {} },
      });
      while (!await exists(`${outside}/up`)) await clock.sleep(10, signal);
      return group.pid;
    },
    async [Symbol.asyncDispose]() {
      await group?.stop();
    },
  };
}

const OTHER = "exec 9>held; [ -p pipe ] || mkfifo pipe; cat pipe >said & echo ready >up; wait; exec sleep 86400";

/** What is there: the files of folders with their modes, and single files. */
async function lookAt(
  { folders, singles }: { readonly folders: readonly string[]; readonly singles: readonly string[] },
): Promise<ReadonlyMap<string, string>> {
  const seen = new Map<string, string>();
  for (const folder of folders) {
    for await (const { name, isFile } of Deno.readDir(folder)) {
      const path = `${folder}/${name}`;
      const { mode } = await Deno.lstat(path);
      seen.set(path, isFile ? `${mode} ${await Deno.readTextFile(path)}` : "not a file");
    }
  }
  for (const path of singles) {
    const text = await Deno.readTextFile(path).catch(() => undefined);
    if (text !== undefined && !isPlaceholder(path, Deno.lstatSync(path))) seen.set(path, text);
  }
  return seen;
}

function argvOf(
  { script, needs = [] }: Pick<Escape, "script" | "needs">,
  variables: Readonly<Record<string, string | number>>,
): [string, ...string[]] {
  const given = Object.entries(variables);
  const missing = needs.map((program) => `command -v ${program} >/dev/null || untried "there is no ${program} here"`);
  const text = [`${names(given)}shift ${given.length}`, WORDS, ...missing, script].join("\n");
  return ["/bin/sh", "-c", text, "sh", ...given.map(([, value]) => String(value))];
}

/** What scripts say. */
const WORDS = 'escaped() { echo "ESCAPED: $*"; }; untried() { echo "UNTRIED: $*"; exit 0; }; exec 2>/dev/null';

function names(given: readonly (readonly [string, unknown])[]): string {
  return given.map(([name], index) => `${name}=\${${index + 1}}; `).join("");
}

async function exists(path: string): Promise<boolean> {
  return await Deno.lstat(path).then(() => true, (error) => {
    if (isAbsence(error)) return false;
    throw error;
  });
}

function changeIn(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string | undefined {
  for (const [path, seen] of after) if (before.get(path) !== seen) return `${path} was written`;
  for (const path of before.keys()) if (!after.has(path)) return `${path} is gone`;
  return undefined;
}

async function leftBehind(id: string): Promise<string | undefined> {
  const pids = await findPidsByEntry(`LEFT_BEHIND=${id}`);
  for (const pid of pids) trySignal(pid, "SIGKILL");
  return pids.size === 0 ? undefined : `process ${[...pids].join(", ")} runs on`;
}
