import { basename, dirname } from "@std/path/posix";
import { RuntimeError, UsageError } from "../base/errors.ts";
import { systemClock } from "../base/ports/clock.ts";
import { systemProcessRunner, UNASKED } from "../base/ports/process.ts";
import { readRegularText } from "../base/ports/regular_file.ts";
import { selfCommand } from "../base/ports/self.ts";
import { present } from "../base/schema.ts";
import { lastLines } from "../base/text/lines.ts";
import { shellJoin } from "../shell/quote.ts";
import type { Fleet } from "./connect.ts";
import { listWorkers } from "./control.ts";
import { readCredentials } from "./credentials.ts";
import { isToken } from "./names.ts";
import { readWorkerRules } from "./worker_rules.ts";

/** A machine that is to be a worker, reached by ssh. */
export interface NewMachine {
  /** As ssh takes it: `user@host`, or a name of its configuration. */
  readonly host: string;
  /** The worker's name among others. */
  readonly name: string;
  /** Further arguments of `panewright worker`. */
  readonly args: readonly string[];
  /** The file with a worker's credentials. */
  readonly credentials: string;
  /** The file that says what it takes. @default what is there, else repositories that are sent along */
  readonly accept: string | undefined;
  /** ssh's configuration file. @default its own */
  readonly sshConfig: string | undefined;
}

const LOOPBACK = /^(?:.*@)?(?:127\.\d+\.\d+\.\d+|localhost|\[?::1\]?)$/;
/** A copy of this program may take its time. */
const LIMIT_MS = 10 * 60_000;
const UNIT = "panewright-worker";
const LIB = ".local/lib/panewright";
const RULES = `${JSON.stringify({ accept: [{ repositories: ["bundle"] }] }, undefined, 2)}\n`;

/** How long a worker has to tell of itself. */
const LOOKS = 60;
const LOOK_MS = 500;

/**
 * Makes another machine a worker: copies this program, credentials and rules there, and starts it, by the system's user
 * services where it has them.
 *
 * @param fleet what is looked at to see the worker there
 * @returns whether it is started again by itself, and whether it is one that was there, which hands over its jobs first
 * @throws {UsageError} when the machine cannot be a worker, with what it lacks
 */
export async function joinMachine(
  machine: NewMachine,
  { fleet, signal }: { readonly fleet: Fleet; readonly signal: AbortSignal },
): Promise<{ readonly isService: boolean; readonly isAgain: boolean }> {
  const { accept, credentials, host, name } = machine;
  const problem = (what: string, hint: string) => new UsageError(`Cannot join ${host}: ${what}`, { hint });
  if (host.startsWith("-")) throw problem("that is no host", "As in: panewright fleet join anna@build1");
  if (!isToken(name)) {
    throw problem(`"${name}" is not a valid name for a worker`, "A name has letters, digits, - and _, 64 at most.");
  }
  const { ca, ...own } = readCredentials(credentials);
  const { rights, server } = own;
  if (rights !== "worker") {
    throw problem(`${credentials} has no worker's credentials`, "Name those of a worker: --worker FILE");
  }
  const isHere = server.split(",").some((one) => LOOPBACK.test(new URL(one).hostname));
  if (isHere && !LOOPBACK.test(host)) {
    throw problem(`it would look for the fleet's server on itself (${server})`, "Make the server with --host ADDR.");
  }
  const rules = accept === undefined ? undefined : readRegularText(accept, { maxBytes: 1024 * 1024 });
  if (accept !== undefined) readWorkerRules(accept);
  const { files, command } = programHere(problem);
  const ssh = openSsh(machine, signal);
  const { hasServices } = await lookAt(ssh, problem);
  const find = async () => (await listWorkers(fleet)).find((worker) => worker.name === `${own.name}.${name}`);
  const isThere = await find() !== undefined;
  if (isThere && !hasServices) {
    throw problem(`its worker ${name} is there already`, `End that one before: panewright fleet drain ${name}`);
  }
  for (const file of files) await ssh.put(file, `${LIB}/${basename(file)}`);
  const config = ".config/panewright";
  if (ca !== undefined) await ssh.put(ca, `${config}/fleet-ca.pem`);
  const theirs = { ...own, ...(ca === undefined ? {} : { ca: "fleet-ca.pem" }) };
  await ssh.run(`mkdir -p ${config} && cat > ${config}/fleet.json`, JSON.stringify(theirs));
  const unlessThere = rules === undefined ? `test -e ${config}/worker.jsonc || ` : "";
  await ssh.run(`${unlessThere}cat > ${config}/worker.jsonc`, rules ?? RULES);
  const words = [...command, "worker", "--name", name, ...machine.args];
  await (hasServices ? startService(ssh, words) : startBeside(ssh, words));
  for (let looks = LOOKS; looks > 0; looks--) {
    if (isThere || await find() !== undefined) return { isService: hasServices, isAgain: isThere };
    await systemClock.sleep(LOOK_MS, signal);
  }
  const log = hasServices ? `journalctl --user -u ${UNIT}` : `cat ${LOG}`;
  throw new RuntimeError(`Cannot join ${host}: its worker was started, and does not tell of itself`, {
    hint: `See what it says: ${shellJoin(["ssh", host, log])}`,
  });
}

type Problem = (what: string, hint: string) => UsageError;

/** What is copied of this program, and how it is called there, from the home folder. */
function programHere(problem: Problem): { readonly files: readonly string[]; readonly command: readonly string[] } {
  const [program, ...args] = selfCommand(["--allow-all"]);
  const main = args.at(-1);
  if (main === undefined) return { files: [program], command: [`%h/${LIB}/${basename(program)}`] };
  if (!main.endsWith(".mjs")) {
    throw problem(
      "this panewright runs from its sources",
      "Use the executable, or the bundle that deno task bundle makes.",
    );
  }
  const folder = dirname(main);
  const modules = [...Deno.readDirSync(folder)].flatMap(({ name }) =>
    name.endsWith(".mjs") ? [`${folder}/${name}`] : []
  );
  const call = args.map((arg) => arg === main ? `%h/${LIB}/${basename(main)}` : arg);
  return { files: [program, ...modules], command: [`%h/${LIB}/${basename(program)}`, ...call] };
}

interface Ssh {
  /** Runs a script there, in the home folder; its output. */
  run(script: string, stdin?: string): Promise<string>;
  /** Copies a file to a path below the home folder. */
  put(file: string, path: string): Promise<void>;
}

function openSsh({ host, sshConfig }: NewMachine, signal: AbortSignal): Ssh {
  const config = sshConfig === undefined ? [] : ["-F", sshConfig];
  const options = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15"];
  const call = (
    script: string,
  ) => ["ssh", ...config, ...options, "--", host, shellJoin(["sh", "-c", `umask 077; cd && ${script}`])];
  const checked = async (argv: readonly string[], stdin?: string) => {
    const [program = "", ...args] = argv;
    const { code, stdout, stderr, timedOut } = await systemProcessRunner.run({
      ...{ argv: [program, ...args], env: UNASKED, signal, timeoutMs: LIMIT_MS },
      ...present({ stdin }),
    });
    if (code === 0) return stdout;
    const said = timedOut ? "it does not come to an end there" : lastLines(stderr, 2).join("; ") || `code ${code}`;
    throw new UsageError(`Cannot join ${host}: ${said}`, {
      hint: code === 255
        ? `It must let you in with a key: ${shellJoin(["ssh", host, "true"])}`
        : "Mend that there, and call this again.",
    });
  };
  return {
    run: (script, stdin) => checked(call(script), stdin),
    async put(file, path) {
      const [folder, whole, draft] = [dirname(path), path, `${path}.new`].map((one) => shellJoin([one]));
      const script = `mkdir -p ${folder} && cat > ${draft} && chmod 700 ${draft} && mv ${draft} ${whole}`;
      // The local shell has the file opened, whatever its size.
      await checked(["sh", "-c", 'file=$1; shift; exec "$@" < "$file"', "sh", file, ...call(script)]);
    },
  };
}

const OS = { linux: "Linux", darwin: "Darwin" } as const;

/** What is there: the same kind of machine, and what a worker needs. */
async function lookAt(ssh: Ssh, problem: Problem): Promise<{ readonly hasServices: boolean }> {
  const script = [
    "uname -s; uname -m",
    "for name in git tmux; do command -v $name >/dev/null || echo missing $name; done",
    "systemctl --user show-environment >/dev/null 2>&1 && echo services",
    "true",
  ].join("; ");
  const [os = "", arch = "", ...said] = (await ssh.run(script)).trim().split("\n");
  const own = [OS[Deno.build.os as keyof typeof OS] ?? Deno.build.os, Deno.build.arch];
  const theirs = [os, arch === "arm64" ? "aarch64" : arch];
  if (own.join() !== theirs.join()) {
    throw problem(
      `it is ${theirs.join(" ")}, and this is ${own.join(" ")}`,
      "Install panewright there by itself (docs/install.md).",
    );
  }
  const missing = said.flatMap((line) => line.startsWith("missing ") ? [line.slice(8)] : []);
  if (missing.length > 0) {
    throw problem(`it has no ${missing.join(" and no ")}`, "Install that there, and call this again.");
  }
  return { hasServices: said.includes("services") };
}

async function startService(ssh: Ssh, words: readonly string[]): Promise<void> {
  const unit = [
    "[Unit]",
    "Description=panewright worker",
    "[Service]",
    // In a unit a percent sign begins a specifier: %h is the home folder.
    `ExecStart=${words.map((word) => JSON.stringify(word.replaceAll(/%(?!h\/)/g, "%%"))).join(" ")}`,
    "Restart=always",
    "RestartSec=5",
    // It hands over its jobs at the end of their turns.
    "TimeoutStopSec=30min",
    "KillMode=mixed",
    "[Install]",
    "WantedBy=default.target",
  ];
  const folder = ".config/systemd/user";
  await ssh.run(`mkdir -p ${folder} && cat > ${folder}/${UNIT}.service`, `${unit.join("\n")}\n`);
  await ssh.run(
    `systemctl --user daemon-reload && systemctl --user enable ${UNIT} && systemctl --user restart --no-block ${UNIT} && ` +
      "{ loginctl enable-linger || true; }",
  );
}

const LOG = ".local/state/panewright-worker.log";

async function startBeside(ssh: Ssh, words: readonly string[]): Promise<void> {
  const command = words.map((word) => shellJoin([word.replace(/^%h\//, "")])).join(" ");
  await ssh.run(`mkdir -p ${dirname(LOG)} && { setsid nohup ${command} >> ${LOG} 2>&1 < /dev/null & }`);
}
