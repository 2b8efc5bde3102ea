import {
  connectFleet,
  type Credentials,
  type Fleet,
  makeServer,
  readCredentials,
  type ServerNode,
  setUpServer,
} from "../../lib/fleet/mod.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { freePort } from "../support/free_port.ts";
import { type RunningProgram, startProgram } from "../support/program.ts";
import { until } from "../support/until.ts";

/** A real nats-server with the streams of a fleet. */
export interface FleetServer extends AsyncDisposable {
  /** As `me`, who may submit. */
  readonly fleet: Fleet;
  /** Each user's file, by name. */
  readonly credentials: Readonly<Record<string, string>>;
  /** The process that runs now, of the first server or of the one that is named. */
  readonly process: (node?: string) => RunningProgram;
  start(node?: string): void;
  /** How many writes were slowed down until now. */
  slowWrites(): Promise<number>;
  /** Takes all that is left of a disk of the server's own. */
  fillDisk(): Promise<void>;
  /** Gives it back. */
  freeDisk(): Promise<void>;
}

const OF_OWN_DISK = ["unshare", "--user", "--map-root-user", "--mount"] as const;

/** Why no server can have a disk of its own here; undefined where it can. */
export async function noDiskReason(): Promise<string | undefined> {
  const mount = ["sh", "-c", "mount -t tmpfs none /mnt"];
  const { code, stderr } = await systemProcessRunner.run({ argv: [...OF_OWN_DISK, ...mount] });
  return code === 0 ? undefined : `nothing can be mounted here: ${stderr.trim()}`;
}

/** Why no server can have a slow disk here; undefined where it can. */
export async function noSlowDiskReason(): Promise<string | undefined> {
  const { code, stderr } = await systemProcessRunner.run({ argv: ["strace", "-qq", "-e", "trace=none", "true"] });
  return code === 0 ? undefined : `no program can be slowed down here: ${stderr.trim()}`;
}

/** What takes a program to a disk long: only what it writes into files at a place, and has the disk keep. */
const WRITES = "pwrite64,fsync,fdatasync,ftruncate";

/** Runs a program to whose files each write takes so long; each is noted in a file. */
function onSlowDisk({ delayMs, noted }: { readonly delayMs: number; readonly noted: string }) {
  const how = ["-e", `trace=${WRITES}`, "-e", `inject=${WRITES}:delay_enter=${delayMs}ms`];
  // The program itself is the process that is started.
  return ["strace", "-D", "-f", "-qq", ...how, "-o", noted];
}

/** Runs a program whose folder is a small disk of its own, and kills and starts it again, with that disk, by a signal. */
const ON_OWN_DISK = `
mount -t tmpfs -o size="$1" none "$2" || exit 99
shift 2
trap 'kill -9 $!' USR1
while :; do setpriv --pdeathsig KILL "$@" & wait $!; done
`;

type User = { readonly name: string; readonly rights: Credentials["rights"] };

/**
 * @param options.leaseSeconds how soon another worker takes a job whose worker is gone
 * @param options.nodes the names of its servers; all of them keep everything
 * @param options.isOverTls whether all that is sent is encrypted, with certificates of an authority of its own
 */
export async function fleetServer(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
  { diskDelayMs, diskSize, isOverTls = false, leaseSeconds, nodes = ["one"], users = [] }: {
    /** Has each write of the server to its disk take so long. */
    readonly diskDelayMs?: number;
    /** Has the server keep all on a disk of this size, which goes when it ends. */
    readonly diskSize?: string;
    readonly isOverTls?: boolean;
    readonly leaseSeconds: number;
    readonly nodes?: readonly string[];
    readonly users?: readonly User[];
  },
): Promise<FleetServer> {
  await using stack = new AsyncDisposableStack();
  const known: readonly User[] = [
    { name: "admin", rights: "admin" },
    { name: "me", rights: "submitter" },
    { name: "machine", rights: "worker" },
  ];
  // Servers of a cluster are known by their names where they show certificates.
  const host = isOverTls && nodes.length > 1 ? "localhost" : "127.0.0.1";
  const made = await makeServer({
    folder: `${root}/fleet`,
    nodes: nodes.map((name) => ({ name, host, port: freePort() })) as [ServerNode],
    users: [...known, ...users],
    ...(isOverTls ? { tls: await certificates(root) } : {}),
  });
  const [, store = ""] = /store_dir: "([^"]+)"/.exec(await Deno.readTextFile(made.configs[0])) ?? [];
  if (diskSize !== undefined) await Deno.mkdir(store, { recursive: true });
  const noted = `${root}/writes`;
  const processes = stack.use(new AsyncDisposableStack());
  const running = new Map<string, RunningProgram>();
  const [first = ""] = nodes;
  const start = (node = first) => {
    const server = ["nats-server", "--config", made.configs[nodes.indexOf(node)]!] as const;
    const ofDisk = [...OF_OWN_DISK, "sh", "-c", ON_OWN_DISK, "sh"] as const;
    const ofSlowDisk = diskDelayMs === undefined ? [] : onSlowDisk({ delayMs: diskDelayMs, noted });
    const argv = diskSize === undefined ? [...ofSlowDisk, ...server] : [...ofDisk, diskSize, store, ...server];
    const program = startProgram(argv as [string, ...string[]], {
      cwd: root,
      // Debian has it where only root looks.
      env: { ...env, PATH: `${env["PATH"]}:/usr/sbin` },
    });
    running.set(node, processes.use(program));
  };
  nodes.forEach((node) => start(node));
  const admin = readCredentials(made.credentials["admin"]);
  await until(() => setUpServer(admin, { leaseSeconds, replicas: nodes.length }).then(() => true, () => false));
  const fleet = stack.use(await connectFleet(readCredentials(made.credentials["me"])));
  const resources = stack.move();
  return {
    ...{ fleet, credentials: made.credentials, start },
    async slowWrites() {
      return (await Deno.readTextFile(noted)).split("(DELAYED)").length - 1;
    },
    async fillDisk() {
      const file = `/proc/${running.get(first)!.pid}/root${store}/filler`;
      await systemProcessRunner.run({ argv: ["sh", "-c", 'cat /dev/zero >"$1"', "sh", file] });
    },
    async freeDisk() {
      await systemProcessRunner.run({ argv: ["rm", `/proc/${running.get(first)!.pid}/root${store}/filler`] });
    },
    process: (node = first) => running.get(node)!,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}

/** A certificate for this machine, its key, and the certificate of who has signed it. */
async function certificates(
  root: string,
): Promise<{ readonly cert: string; readonly key: string; readonly ca: string }> {
  const [cert, key, ca] = [`${root}/cert.pem`, `${root}/key.pem`, `${root}/ca.pem`];
  const keyed = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  const make = async (...args: readonly string[]) => {
    const { code, stderr } = await systemProcessRunner.run({ argv: ["openssl", "req", "-x509", ...keyed, ...args] });
    if (code !== 0) throw new Error(stderr);
  };
  await make("-keyout", `${root}/ca.key`, "-out", ca, "-subj", "/CN=Authority");
  await make(
    ...["-keyout", key, "-out", cert, "-subj", "/CN=Server", "-CA", ca, "-CAkey", `${root}/ca.key`],
    ...["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"],
  );
  return { cert, key, ca };
}
