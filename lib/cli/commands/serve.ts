import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { systemClock } from "../../base/ports/clock.ts";
import { stateFolder } from "../../base/ports/state_folder.ts";
import { redactorOf } from "../../base/redact/redactor.ts";
import { createSecretLearner } from "../run_secrets.ts";
import { mountMcp } from "../../api/mcp/mount.ts";
import { createServeApp } from "../../api/http/app.ts";
import { hostsOf, isHost, LOOPBACK, shownHost } from "../../api/http/hosts.ts";
import { DEFAULT_LIMITS } from "../../api/http/deps.ts";
import { DEFAULT_PORT, type ListenAt, listenAt, serveOn } from "../../api/http/listen.ts";
import { Problem } from "../../api/control/problem.ts";
import { tendRuns } from "../../api/http/tend_runs.ts";
import { createTokenCheck, invitedIn, readOrMakeToken, tokenPathIn } from "../../api/http/token.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import {
  type CliIo,
  defineCommand,
  exitCodeOfLeaving,
  type FlagValues,
  integerFlag,
  switchFlag,
  textFlag,
} from "../console/command.ts";
import { notificationPlanOfRun } from "../notification_plan.ts";
import { outputLine } from "../../api/output/line.ts";
import { changePeople } from "../people.ts";
import { requireTrustOfRun } from "../trust.ts";
import { findListedWorkdir } from "../find_named_run.ts";

const FLAGS = {
  wd: textFlag(
    "DIR",
    "a working directory whose runs are served, and in which runs may be started (default: this one)",
    { repeatable: true },
  ),
  port: integerFlag("N", `the port (default: ${DEFAULT_PORT})`),
  socket: textFlag("PATH", "listen on a unix socket instead of a port"),
  listen: textFlag(
    "ADDR",
    "listen on this address of the network instead of 127.0.0.1; needs --tls-cert and --tls-key",
  ),
  "tls-cert": textFlag("FILE", "the certificate, in PEM form"),
  "tls-key": textFlag("FILE", "its key, in PEM form"),
  host: textFlag("NAME", "a further name by which clients reach the server, with its port if that differs", {
    repeatable: true,
  }),
  connections: integerFlag("N", `connections at the same time (default: ${DEFAULT_LIMITS.connections})`),
  "new-token": switchFlag("make a new token; clients with the old one are signed out"),
  invite: textFlag("NAME", "print an address with a token for somebody, by whose name their answers are known"),
  uninvite: textFlag("NAME", "take that token back; a server that runs refuses it at once"),
};

type ServeFlags = FlagValues<typeof FLAGS>;

export const command = defineCommand({
  flags: FLAGS,
  async run({ flags, global }, io) {
    const at = placeOf(flags, io.cwd);
    requireSense(flags);
    const state = stateFolder((name) => io.env(name));
    if (state === undefined) {
      throw new UsageError("Cannot serve: there is no place for the token, since HOME is not set");
    }
    if (flags.invite !== undefined || flags.uninvite !== undefined) {
      const { invite, uninvite } = flags;
      return await changePeople(state, { invite, uninvite, address: addressOf(flags, io), global, io });
    }
    const workdirs = await workdirsOf(flags, io);
    const { listener, port } = await listenAt(at);
    // Once it listens: a server that runs there already keeps a token that is in the file.
    const token = await readOrMakeToken(state, { renew: flags["new-token"] === true }).catch((error) => {
      listener.close();
      throw error;
    });
    const scheme = "tls" in at ? "https" : "http";
    const over = new AbortController();
    const redactor = redactorOf(environmentOf(io), [token, ...invitedIn(state).map(([, theirs]) => theirs)]);
    const log = (message: string) => io.stderr(`panewright: ${sanitizeLine(message)}\n`);
    const app = createServeApp({
      workdirs,
      checkToken: createTokenCheck(token, state),
      hosts: hostsOf("path" in at ? undefined : at.hostname, { port, more: flags.host ?? [] }),
      scheme,
      limits: { ...DEFAULT_LIMITS, connections: flags.connections ?? DEFAULT_LIMITS.connections },
      redactor,
      meetRun: createSecretLearner({ io, redactor, clock: systemClock, warn: log }),
      clock: systemClock,
      wallClock: () => new Date(),
      signal: over.signal,
      requireTrust: (configFile) => requireTrustOfRun(configFile, { io, trust: false, mayAsk: false }),
      detach: {},
      env: (name) => io.env(name),
      log,
    }, { mounts: [mountMcp] });
    const end = () => over.abort(new Problem("ending", "Cannot answer: the server ends"));
    io.signal.addEventListener("abort", end, { once: true });
    if (io.signal.aborted) end();
    const address = port === undefined
      ? undefined
      : `${scheme}://${"hostname" in at ? shownHost(at.hostname) : ""}:${port}/`;
    const tokenFile = tokenPathIn(state);
    if (global.json) {
      const where = "path" in at ? { socket: at.path } : { address: address! };
      io.stdout(outputLine("serving", { ...where, tokenFile, workdirs: [...workdirs] }));
    } else {
      const of = workdirs.map((workdir) => `  ${sanitizeLine(workdir)}\n`).join("");
      const where = "path" in at ? `the socket ${sanitizeLine(at.path)}` : `${address}#token=${token}`;
      io.stdout(`Serving ${where}\nThe token is in ${sanitizeLine(tokenFile)}. Runs of:\n${of}`);
    }
    const tending = tendRuns({
      ...app.context,
      planOf: (run) => notificationPlanOfRun(run, { io: { ...io, stderr: () => {} }, trust: false }),
    });
    await serveOn(listener, app);
    await tending;
    return exitCodeOfLeaving(io);
  },
});

/** Where its pages are, for whoever has a token; undefined on a socket. */
function addressOf(flags: ServeFlags, io: CliIo): string | undefined {
  const at = placeOf(flags, io.cwd);
  const [host = "hostname" in at ? `${shownHost(at.hostname)}:${at.port}` : undefined] = flags.host ?? [];
  return host === undefined ? undefined : `${"tls" in at ? "https" : "http"}://${host}/`;
}

function placeOf(flags: ServeFlags, cwd: string): ListenAt {
  const { socket, listen, port = DEFAULT_PORT, "tls-cert": cert, "tls-key": key } = flags;
  if (socket !== undefined) {
    const other = (["listen", "port", "tls-cert", "tls-key"] as const).find((name) => flags[name] !== undefined);
    if (other !== undefined) throw new UsageError(`Cannot use --${other} with --socket`);
    return { path: resolve(cwd, socket) };
  }
  if (port > 65535) throw new UsageError(`Cannot listen on port ${port}: ports go up to 65535`);
  if ((cert === undefined) !== (key === undefined)) {
    throw new UsageError("Cannot use TLS: --tls-cert and --tls-key belong together");
  }
  const tls = cert === undefined || key === undefined
    ? {}
    : { tls: { cert: resolve(cwd, cert), key: resolve(cwd, key) } };
  if (listen !== undefined && listen !== LOOPBACK && cert === undefined) {
    throw new UsageError(`Cannot listen on ${listen}: without TLS, others on the network could read the token`, {
      hint: "Give --tls-cert FILE and --tls-key FILE; or let others in by ssh: ssh -L 8484:127.0.0.1:8484 HOST",
    });
  }
  return { hostname: listen ?? LOOPBACK, port, ...tls };
}

/** @throws {UsageError} for what would serve nobody */
function requireSense({ connections, host = [] }: ServeFlags): void {
  if (connections === 0) throw new UsageError("Cannot use --connections 0: nobody could connect");
  const odd = host.find((name) => !isHost(name));
  if (odd === undefined) return;
  throw new UsageError(`Cannot use --host ${JSON.stringify(odd)}: clients cannot call a server so`, {
    hint: "It is a name or an address, with a port where that is another one: build-host, build-host:8443",
  });
}

async function workdirsOf({ wd }: ServeFlags, io: CliIo): Promise<readonly string[]> {
  const named = wd === undefined || wd.length === 0 ? [await findListedWorkdir(io, undefined)] : wd;
  const real = await Promise.all(named.map(async (path) => {
    try {
      const workdir = await Deno.realPath(resolve(io.cwd, path));
      if ((await Deno.stat(workdir)).isDirectory) return workdir;
    } catch (cause) {
      throw new UsageError(`Cannot serve the runs of ${path}: there is no such folder`, { cause });
    }
    throw new UsageError(`Cannot serve the runs of ${path}: it is not a folder`);
  }));
  return [...new Set(real)];
}

function environmentOf(io: CliIo): Readonly<Record<string, string>> {
  return Object.fromEntries(io.envNames().map((name) => [name, io.env(name) ?? ""]));
}
