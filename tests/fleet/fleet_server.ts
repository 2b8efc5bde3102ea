import {
  connectFleet,
  type Credentials,
  type Fleet,
  makeServer,
  readCredentials,
  type ServerNode,
  setUpServer,
} from "../../lib/fleet/mod.ts";
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
 */
export async function fleetServer(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
  { leaseSeconds, nodes = ["one"], users = [] }: {
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
  const made = await makeServer({
    folder: `${root}/fleet`,
    nodes: nodes.map((name) => ({ name, host: "127.0.0.1", port: freePort() })) as [ServerNode],
    users: [...known, ...users],
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
