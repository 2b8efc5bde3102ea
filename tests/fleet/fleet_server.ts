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
}

type User = { readonly name: string; readonly rights: Credentials["rights"] };

/**
 * @param options.leaseSeconds how soon another worker takes a job whose worker is gone
 * @param options.nodes the names of its servers; all of them keep everything
 * @param options.isOverTls whether all that is sent is encrypted, with certificates of an authority of its own
 */
export async function fleetServer(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
  { isOverTls = false, leaseSeconds, nodes = ["one"], users = [] }: {
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
  const processes = stack.use(new AsyncDisposableStack());
  const running = new Map<string, RunningProgram>();
  const [first = ""] = nodes;
  const start = (node = first) => {
    const program = startProgram(["nats-server", "--config", made.configs[nodes.indexOf(node)]!], {
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
