import {
  connectFleet,
  type Credentials,
  type Fleet,
  makeServer,
  readCredentials,
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
  /** The process that runs now. */
  readonly process: () => RunningProgram;
  start(): void;
}

type User = { readonly name: string; readonly rights: Credentials["rights"] };

/** @param options.leaseSeconds how soon another worker takes a job whose worker is gone */
export async function fleetServer(
  { root, env }: { readonly root: string; readonly env: Readonly<Record<string, string>> },
  { leaseSeconds, users = [] }: { readonly leaseSeconds: number; readonly users?: readonly User[] },
): Promise<FleetServer> {
  await using stack = new AsyncDisposableStack();
  const known: readonly User[] = [
    { name: "admin", rights: "admin" },
    { name: "me", rights: "submitter" },
    { name: "machine", rights: "worker" },
  ];
  const made = await makeServer({
    folder: `${root}/fleet`,
    host: "127.0.0.1",
    port: freePort(),
    users: [...known, ...users],
  });
  const processes = stack.use(new AsyncDisposableStack());
  let current: RunningProgram | undefined;
  const start = () => {
    current = processes.use(startProgram(["nats-server", "--config", made.config], {
      cwd: root,
      // Debian has it where only root looks.
      env: { ...env, PATH: `${env["PATH"]}:/usr/sbin` },
    }));
  };
  start();
  const admin = readCredentials(made.credentials["admin"]);
  await until(() => setUpServer(admin, { leaseSeconds }).then(() => true, () => false));
  const fleet = stack.use(await connectFleet(readCredentials(made.credentials["me"])));
  const resources = stack.move();
  return {
    ...{ fleet, credentials: made.credentials, start },
    process: () => current!,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
