import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { lstatOrUndefined } from "../../../lib/base/ports/files.ts";
import { listRunIds } from "../../../lib/run/find_run.ts";
import { type ExecProject, execProject } from "../../cli/commands/exec_project.ts";
import type { RunningProgram } from "../../support/program.ts";
import { RUN_ID } from "../../support/run_folders.ts";
import { writeSecretRun } from "../../support/secret_run.ts";
import { until } from "../../support/until.ts";
import { whyMissing } from "../../support/why_missing.ts";
import { readEvents } from "./support.ts";

/** A server as people start it. */
interface Server {
  readonly program: RunningProgram;
  /** What it says of itself. */
  readonly told: { readonly address: string; readonly tokenFile: string; readonly workdirs: readonly string[] };
  readonly token: string;
}

async function startServer(project: ExecProject, ...args: readonly string[]): Promise<Server> {
  const program = project.start("serve", "--json", ...args);
  const line = await until(
    () => program.output.stdout.split("\n").slice(0, -1).find((row) => row.includes('"serving"')),
    Boolean,
    () => program.output.stderr,
  );
  const told = JSON.parse(line!);
  return { program, told, token: (await Deno.readTextFile(told.tokenFile)).trim() };
}

async function end({ program }: Server, signal: Deno.Signal): Promise<number> {
  program.kill(signal);
  return (await program.ended).code;
}

async function ask({ told, token }: Server, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${token}`, ...init.headers };
  return await fetch(`${told.address}${path}`, { ...init, headers });
}

function startRun(server: Server): Promise<Response> {
  return ask(server, "v1/runs", {
    method: "POST",
    headers: { "Content-Type": "application/json", "Idempotency-Key": "one" },
    body: JSON.stringify({ kind: "exec", task: { text: "Build a login." }, overrides: { pipeline: "single" } }),
  });
}

const MOMENTS: Readonly<Record<string, (workdir: string) => boolean | Promise<boolean>>> = {
  "when the request was sent": () => true,
  "when the key was claimed": (workdir) => lstatOrUndefined(`${workdir}/.panewright/requests`) !== undefined,
  "when the run had its folder": async (workdir) => (await listRunIds(workdir)).length > 0,
};

for (const [moment, isThen] of Object.entries(MOMENTS)) {
  Deno.test(`serve: a server that is killed in the middle of a POST, ${moment}: the same key is the same run`, async () => {
    await using project = await execProject();
    const first = await startServer(project, "--port", "0");
    const broken = startRun(first).then((response) => response.body?.cancel(), () => {});
    await until(() => isThen(project.path));
    await end(first, "SIGKILL");
    await broken;
    const second = await startServer(project, "--port", "0");
    const response = await startRun(second);
    const { run } = await response.json();
    assertEquals([response.status, response.headers.get("location")], [202, `/v1/runs/${run}`]);
    assertEquals(await (await startRun(second)).json().then(({ run, isNew }) => [run, isNew]), [run, false]);
    const state = async () => (await (await ask(second, `v1/runs/${run}`)).json()).state;
    assertEquals(await until(state, (seen) => seen !== "running"), "passed");
    assertEquals(await listRunIds(project.path), [run]);
    assertEquals(await end(second, "SIGTERM"), 143);
  });
}

Deno.test("serve: the token and the address stay; a client that comes back to a server started anew misses nothing", async () => {
  await using project = await execProject();
  const first = await startServer(project, "--port", "0");
  const { run } = await (await startRun(first)).json();
  const events = readEvents(await ask(first, `v1/runs/${run}/events`));
  const { value: begun } = await events.next();
  assertEquals([begun?.id, begun?.data.type], ["1", "journal_opened"]);
  await end(first, "SIGKILL");
  await events.return(undefined).catch(() => {});
  const second = await startServer(project, "--port", new URL(first.told.address).port);
  assertEquals([second.told, second.token], [first.told, first.token]);
  await until(async () => (await (await ask(second, `v1/runs/${run}`)).json()).state, (state) => state === "passed");
  const rest = readEvents(
    await ask(second, `v1/runs/${run}/events?follow=false`, { headers: { "Last-Event-ID": "1" } }),
  );
  const told: string[] = [];
  for await (const { id, event, data } of rest) told.push(event === "message" ? id! : `${event} ${data.sequence}`);
  assertEquals(told, [...told.slice(0, -1).map((_, index) => String(index + 2)), `state ${told.length}`]);
  await end(second, "SIGTERM");
  const third = await startServer(project, "--port", "0", "--new-token");
  assertEquals(third.token === first.token, false);
  assertEquals((Deno.statSync(third.told.tokenFile).mode ?? 0) & 0o777, 0o600);
  await end(third, "SIGTERM");
});

Deno.test("serve: the sockets of a server that was killed are taken away by the next one, those of one that lives are not", async () => {
  await using project = await execProject();
  const folders = () => [...Deno.readDirSync(project.env["TMPDIR"]!)].map(({ name }) => name).filter(isServers).sort();
  const isServers = (name: string) => name.startsWith("panewright-serve-");
  const killed = await startServer(project, "--port", "0");
  await (await ask(killed, "v1/runs")).json();
  await end(killed, "SIGKILL");
  const [left, ...others] = folders();
  assertEquals(others, []);
  const second = await startServer(project, "--port", "0");
  await (await ask(second, "v1/runs")).json();
  const [own, ...more] = folders();
  assertEquals([own === left, more], [false, []]);
  const third = await startServer(project, "--port", "0");
  await (await ask(third, "v1/runs")).json();
  assertEquals([folders().includes(own!), folders().length], [true, 2]);
  for (const server of [second, third]) await end(server, "SIGTERM");
  assertEquals(folders(), []);
});

Deno.test("serve: a port that is in use is not exchanged for another, and nothing is served openly", async () => {
  await using project = await execProject();
  const server = await startServer(project, "--port", "0");
  const { port } = new URL(server.told.address);
  const refused = async (...args: readonly string[]) => {
    const { code, stderr } = await project.run("serve", ...args);
    assertEquals(code, 2);
    return stderr;
  };
  assertStringIncludes(await refused("--port", port), `Cannot listen on 127.0.0.1 port ${port}: it is in use`);
  assertStringIncludes(await refused("--listen", "0.0.0.0"), "without TLS, others on the network could read the token");
  assertStringIncludes(await refused("--tls-cert", "a.pem"), "--tls-cert and --tls-key belong together");
  assertStringIncludes(await refused("--connections", "0"), "Cannot use --connections 0: nobody could connect");
  for (const name of ["a b", "https://build-host", "build-host/"]) {
    assertStringIncludes(await refused("--host", name), `Cannot use --host ${JSON.stringify(name)}:`);
  }
  assertStringIncludes(await refused("--wd", "nowhere"), "Cannot serve the runs of nowhere");
  const refusedToken = await refused("--port", port, "--new-token");
  assertStringIncludes(refusedToken, "it is in use");
  assertEquals((await Deno.readTextFile(server.told.tokenFile)).trim(), server.token, "who answers there has another");
  await end(server, "SIGTERM");
});

Deno.test("serve: a method or a Host that cannot be is refused, and nothing of it is said at the terminal", async () => {
  await using project = await execProject();
  const server = await startServer(project, "--port", "0");
  const port = Number(new URL(server.told.address).port);
  const told = async (head: string): Promise<string> => {
    using conn = await Deno.connect({ hostname: "127.0.0.1", port });
    await conn.write(new TextEncoder().encode(`${head}\r\nConnection: close\r\n\r\n`));
    const bytes = new Uint8Array(4096);
    const [status = "", ...rest] = new TextDecoder().decode(bytes.subarray(0, (await conn.read(bytes)) ?? 0)).split(
      "\r\n",
    );
    return `${status.split(" ")[1]} ${
      rest.find((line) => line.toLowerCase().startsWith("content-type"))?.split(" ")[1]
    }`;
  };
  const problem = (status: number) => `${status} application/problem+json`;
  assertEquals(await told(`TRACE / HTTP/1.1\r\nHost: 127.0.0.1:${port}`), problem(400));
  for (const host of ["a:b:c", "[", "127.0.0.1:99999"]) {
    assertEquals(await told(`GET /v1/runs HTTP/1.1\r\nHost: ${host}`), problem(400), host);
  }
  assertEquals(await told(`GET http://evil.example/ HTTP/1.1\r\nHost: 127.0.0.1:${port}`), problem(403));
  assertEquals((await told(`GET / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: evil.example`)).slice(0, 3), "400");
  await end(server, "SIGTERM");
  assertEquals(server.program.output.stderr, "");
});

Deno.test("serve: on a socket of its owner's; that of a server that was killed is taken over, one that answers is not", async () => {
  await using project = await execProject();
  const path = `${project.path}/serve.sock`;
  const first = await startServer(project, "--socket", path);
  assertEquals((Deno.lstatSync(path).mode ?? 0) & 0o777, 0o600);
  const { code, stderr } = await project.run("serve", "--socket", path);
  assertEquals(code, 2);
  assertStringIncludes(stderr, "another server answers there");
  await end(first, "SIGKILL");
  const second = await startServer(project, "--socket", path);
  const request =
    `GET /v1/runs HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${second.token}\r\nConnection: close\r\n\r\n`;
  assertMatch(await overSocket(path, request), /^HTTP\/1\.1 200 OK\r\n[^]*"runs":\[\]/);
  await end(second, "SIGTERM");
});

/** What is answered on a socket: tests themselves may only use 127.0.0.1. */
async function overSocket(path: string, request: string): Promise<string> {
  const code = `const conn = await Deno.connect({ transport: "unix", path: ${JSON.stringify(path)} });
    await conn.write(new TextEncoder().encode(${JSON.stringify(request)}));
    console.log(await new Response(conn.readable).text());`;
  const { stdout } = await new Deno.Command(Deno.execPath(), { args: ["eval", "--no-config", code] }).output();
  return new TextDecoder().decode(stdout);
}

const noOpenssl = await whyMissing("openssl");
Deno.test({
  name: `serve: with a certificate, by its names${noOpenssl === undefined ? "" : ` (${noOpenssl})`}`,
  ignore: noOpenssl !== undefined,
  async fn() {
    await using project = await execProject();
    const [cert, key] = [`${project.path}/cert.pem`, `${project.path}/key.pem`];
    const subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"];
    const { success } = await new Deno.Command("openssl", {
      args: ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", ...subject]
        .concat(["-days", "2", "-keyout", key, "-out", cert, "-addext", "basicConstraints=critical,CA:FALSE"]),
      stdout: "null",
      stderr: "null",
    }).output();
    assertEquals(success, true);
    const server = await startServer(
      project,
      "--listen",
      "127.0.0.1",
      "--port",
      "0",
      "--tls-cert",
      cert,
      "--tls-key",
      key,
    );
    assertMatch(server.told.address, /^https:/);
    using client = Deno.createHttpClient({ caCerts: [await Deno.readTextFile(cert)] });
    const headers = { Authorization: `Bearer ${server.token}` };
    const response = await fetch(`${server.told.address}v1/runs`, { client, headers });
    assertEquals([response.status, (await response.json()).runs], [200, []]);
    await end(server, "SIGTERM");
  },
});

Deno.test("security: serve takes out what only the configuration of a run says is secret", async () => {
  await using project = await execProject();
  const { secret } = await writeSecretRun(project.path);
  const server = await startServer(project, "--port", "0");
  for (const path of [`v1/runs/${RUN_ID}/report`, "v1/runs", `v1/runs/${RUN_ID}`]) {
    const text = await (await ask(server, path)).text();
    assertEquals([text.includes(secret), text.includes("redacted")], [false, true], path);
  }
  assertEquals(await end(server, "SIGTERM"), 143);
});
