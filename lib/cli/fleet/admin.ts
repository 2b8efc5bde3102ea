import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import { requireNoAgent } from "../../api/control/act.ts";
import { outputLine } from "../../api/output/line.ts";
import {
  cleanFleet,
  type Fleet,
  joinMachine,
  makeServer,
  readCaps,
  readCredentials,
  readJob,
  readLabels,
  readNodes,
  readSpent,
  readUsers,
  setCap,
  setUpServer,
} from "../../fleet/mod.ts";
import { byteSize, plural } from "../../journal/words/words.ts";
import { shellJoin } from "../../shell/quote.ts";
import type { Given } from "./flags.ts";
import { callOf } from "./open_fleet.ts";

export async function join(fleet: Fleet, { flags, global, io, rest: [host] }: Given): Promise<number> {
  const { accept, label = [], slots, worker } = flags;
  if (host === undefined || worker === undefined) {
    throw new UsageError(`Cannot join a machine: ${host === undefined ? "none" : "no worker's credentials"} is named`, {
      hint: "As in: panewright fleet join anna@build1 --worker build1.json",
    });
  }
  await requireNoAgent("make another machine a worker");
  readLabels(label);
  const file = (name: string | undefined) => name === undefined ? undefined : resolve(io.cwd, name);
  const name = flags.name ?? host.replace(/^.*@/, "").replaceAll(/[^A-Za-z0-9_-]/g, "-").slice(0, 64);
  const args = [
    ...(slots === undefined ? [] : ["--slots", `${slots}`]),
    ...(flags["max-load"] === undefined ? [] : ["--max-load", `${flags["max-load"]}`]),
    ...label.flatMap((one) => ["--label", one]),
  ];
  const { isAgain, isService } = await joinMachine({
    ...{ host, name, args, credentials: resolve(io.cwd, worker) },
    ...{ accept: file(accept), sshConfig: file(flags["ssh-config"]) },
  }, { fleet, signal: io.signal });
  if (global.json) io.stdout(outputLine("fleet_joined", { host, worker: name, isService }));
  else if (!global.quiet) {
    const again = isService
      ? "It is started again with the machine."
      : "Nothing starts it again: that machine has no user services of systemd.";
    const when = isAgain ? " once it has handed over its jobs" : "";
    io.stdout(`${host} is the worker ${name}${when}. ${again}\n`);
  }
  return 0;
}

export async function cap(fleet: Fleet, { flags, global, io, rest: [asked] }: Given): Promise<number> {
  const [label, ...others] = flags.label ?? [];
  readLabels(flags.label ?? []);
  const now = new Date();
  if (others.length > 0) throw new UsageError("Cannot set a cap of several labels: each has its own");
  if (asked !== undefined) {
    const tokensPerDay = asked === "none" ? undefined : Number(asked);
    if (tokensPerDay !== undefined && !(Number.isSafeInteger(tokensPerDay) && tokensPerDay >= 0)) {
      throw new UsageError(`Cannot set the cap "${asked}": it is no number of tokens`, {
        hint: "As in: panewright fleet cap 2000000 --label team=shop; none takes it away.",
      });
    }
    await requireNoAgent("set a cap of a fleet");
    requireAdmin(fleet, "set a cap of the fleet");
    await setCap(fleet, { label, tokensPerDay });
  }
  const caps = await Promise.all(
    (await readCaps(fleet)).map(async (one) => ({ ...one, spentToday: await readSpent(fleet, one, { now }) })),
  );
  if (global.json) io.stdout(outputLine("fleet_caps", { caps }));
  else if (caps.length === 0) io.stdout("The fleet has no caps.\n");
  else {
    for (const { label = "all jobs", spentToday, tokensPerDay } of caps) {
      const [spent, most] = [spentToday, tokensPerDay].map((tokens) => tokens.toLocaleString("en-US"));
      io.stdout(`${label}: ${spent} of ${most} tokens today (UTC)\n`);
    }
  }
  return 0;
}

function requireAdmin({ credentials: { name, rights } }: Pick<Fleet, "credentials">, what: string): void {
  if (rights !== "admin") throw new UsageError(`Cannot ${what}: ${name} is no admin`, { hint: ADMIN_HINT });
}

const DAY_MS = 24 * 3600_000;

export async function clean(fleet: Fleet, { flags, global, io, rest }: Given): Promise<number> {
  const days = flags["older-than"];
  if (rest.length === 0 && days === undefined) {
    throw new UsageError("Cannot clean the fleet: nothing is named", {
      hint: "Name jobs, or how long ago those have ended that may go: panewright fleet clean --older-than 30",
    });
  }
  await requireNoAgent("remove jobs of a fleet");
  requireAdmin(fleet, "clean the fleet");
  const named = [];
  for (const job of rest) named.push((await readJob(fleet, job)).name);
  const now = new Date();
  const isOld = (endedAtMs: number) => days !== undefined && now.getTime() - endedAtMs > days * DAY_MS;
  const { bytes, jobs, objects } = await cleanFleet(fleet, { isOld, named, now });
  if (global.json) io.stdout(outputLine("fleet_cleaned", { jobs: [...jobs], objects, bytes }));
  else if (!global.quiet) {
    io.stdout(`Removed ${plural(jobs.length, "job")} and ${plural(objects, "object")} (${byteSize(bytes)}).\n`);
  }
  return 0;
}

const ADMIN_HINT = "Name the admin's credentials: --fleet FILE";

export async function init({ flags, global, io, rest: [folder] }: Given): Promise<number> {
  if (folder === undefined) {
    throw new UsageError("Cannot make a fleet: no folder is named", {
      hint: "As in: panewright fleet init /srv/fleet --user anna=submitter --user build1=worker",
    });
  }
  const file = (name: string | undefined) => name === undefined ? undefined : resolve(io.cwd, name);
  const [cert, key, ca] = [file(flags["tls-cert"]), file(flags["tls-key"]), file(flags["tls-ca"])];
  const given = [cert, key, ca].filter((one) => one !== undefined).length;
  if (given !== 0 && given !== 3) {
    throw new UsageError("Cannot make a fleet: --tls-cert, --tls-key and --tls-ca belong together");
  }
  const { host = "127.0.0.1", node = [], port = 4222 } = flags;
  const made = await makeServer({
    folder: resolve(io.cwd, folder),
    nodes: node.length === 0 ? [{ name: "fleet", host, port }] : readNodes(node, port),
    users: readUsers(flags.user ?? []),
    ...(cert !== undefined && key !== undefined && ca !== undefined ? { tls: { cert, key, ca } } : {}),
  });
  const { configs: [config, ...others], credentials } = made;
  if (global.json) {
    io.stdout(outputLine("fleet_made", { config, ...(others.length === 0 ? {} : { others }), credentials }));
  } else {
    const copies = others.length === 0 ? [] : ["--replicas", "3"];
    const lines = [
      ...made.configs.map((file) =>
        `Start ${others.length === 0 ? "the server" : "each server, where it is to run,"} with: ${
          shellJoin(["nats-server", "--config", file])
        }`
      ),
      `Make its streams with: ${callOf(io)("fleet", "apply", ...copies, "--fleet", credentials["admin"] ?? "")}`,
      ...Object.entries(credentials).map(([name, path]) => `Credentials of ${name}: ${path}`),
    ];
    io.stdout(`${lines.join("\n")}\n`);
  }
  return 0;
}

export async function applyStreams({ flags, global, io }: Given): Promise<number> {
  const credentials = readCredentials(flags.fleet);
  requireAdmin({ credentials }, "make the streams of the fleet");
  await setUpServer(credentials, present({ replicas: flags.replicas, leaseSeconds: flags["lease-seconds"] }));
  if (!global.quiet && !global.json) io.stdout("The streams of the fleet are there.\n");
  return 0;
}
