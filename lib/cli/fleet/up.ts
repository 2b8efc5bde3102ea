import { RuntimeError, UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { createFileOnce, makeOwnFolder } from "../../base/ports/own_files.ts";
import { NO_STATE_FOLDER, STATE_FOLDER_HINT, stateFolder } from "../../base/ports/state_folder.ts";
import { dirname } from "@std/path/posix";
import { credentialsPath, makeServer, readCredentials, setUpServer, startServer } from "../../fleet/mod.ts";
import { outputLine } from "../../api/output/line.ts";
import type { CliIo, GlobalFlags } from "../console/command.ts";
import { callOf } from "./open_fleet.ts";
import { rulesPath } from "./worker_machine.ts";

const USERS = [
  { name: "admin", rights: "admin" },
  { name: "me", rights: "submitter" },
  { name: "worker", rights: "worker" },
] as const;

const TRIES = 50;
const TRY_MS = 200;

/** What a worker of one's own machine takes: what this person submits, by configs that they trust. */
const OWN_RULES = `${JSON.stringify({ accept: [{ from: ["me"], repositories: ["bundle"] }] }, undefined, 2)}\n`;

/**
 * Runs a fleet's server on this machine until Ctrl-C: made when it is not there yet, with credentials for this person as a
 * submitter and for workers.
 */
export async function upFleet(
  { port = 4222, leaseSeconds }: { readonly port: number | undefined; readonly leaseSeconds: number | undefined },
  { global, io }: { readonly global: GlobalFlags; readonly io: CliIo },
): Promise<number> {
  const state = stateFolder((name) => io.env(name));
  if (state === undefined) throw new UsageError(`Cannot keep a fleet: ${NO_STATE_FOLDER}`, { hint: STATE_FOLDER_HINT });
  const folder = `${state}/fleet-server`;
  const config = `${folder}/nats.conf`;
  const of = (name: string) => `${folder}/${name}.json`;
  if (lstatOrUndefined(config) === undefined) {
    await makeServer({ folder, nodes: [{ name: "here", host: "127.0.0.1", port }], users: USERS });
  }
  const failed = new AbortController();
  const server = startServer(config, { signal: AbortSignal.any([io.signal, failed.signal]) });
  const credentials = readCredentials(of("admin"));
  try {
    await Promise.race([
      setUpWhenThere(() => setUpServer(credentials, present({ leaseSeconds })), io.signal),
      server.then((code) => {
        throw new RuntimeError(`Cannot run the fleet's server: it ended with code ${code}; see ${folder}/nats.log`);
      }),
    ]);
  } catch (error) {
    failed.abort();
    await server.catch(() => {});
    throw error;
  }
  const own = await install(of("me"), credentialsPath((name) => io.env(name)));
  const rules = await createOnce(rulesPath((name) => io.env(name)), OWN_RULES);
  if (global.json) {
    io.stdout(outputLine("fleet_made", { config, credentials: { me: own ?? of("me"), worker: of("worker") } }));
  } else if (!global.quiet) {
    const call = callOf(io);
    io.stdout(
      [
        `The fleet is at ${credentials.server}. In other terminals:`,
        ...[["worker", "--fleet", of("worker")], ["submit", "Say what is to be done"], ["fleet", "ls"]].map((words) =>
          `  ${call(...words)}`
        ),
        ...(rules === undefined ? [] : [`What workers of this machine take is in ${rules}.`]),
        "",
      ].join("\n"),
    );
  }
  return await server;
}

async function setUpWhenThere(setUp: () => Promise<void>, signal: AbortSignal): Promise<undefined> {
  for (let left = TRIES;; left--) {
    try {
      await setUp();
      return undefined;
    } catch (error) {
      if (left === 0) throw error;
    }
    await systemClock.sleep(TRY_MS, signal);
  }
}

/** Makes these credentials those that commands go by, unless there are some. */
async function install(from: string, to: string | undefined): Promise<string | undefined> {
  return await createOnce(to, await Deno.readTextFile(from));
}

async function createOnce(path: string | undefined, text: string): Promise<string | undefined> {
  if (path === undefined) return undefined;
  await makeOwnFolder(dirname(path));
  await createFileOnce(path, text);
  return path;
}
