import { assert, assertEquals } from "@std/assert";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const OTHERWISE = "name a copy with DENORT_BIN=FILE, or make one file of this Deno: deno task pack\n";

async function compile(env: Readonly<Record<string, string>>) {
  await using dir = await tempDir();
  const permissions = ["--allow-run", "--allow-read", "--allow-env=DENORT_BIN", "--allow-net=dl.deno.land"];
  // A folder of its own, in which Deno has kept no base runtime.
  const variables = { HOME: dir.path, DENO_DIR: dir.path, PATH: Deno.env.get("PATH") ?? "/usr/bin:/bin", ...env };
  const { code, stdout, stderr } = await runProgram(
    [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, `${ROOT}.ci/compile.ts`],
    { cwd: ROOT, env: variables, timeoutMs: 60_000 },
  );
  return { code, stdout, stderr };
}

Deno.test("compile says in one line that the base runtime cannot be reached", async () => {
  // Nobody listens there.
  const { code, stdout, stderr } = await compile({ HTTPS_PROXY: "http://127.0.0.1:1" });
  assertEquals([code, stdout, stderr], [
    1,
    "",
    "Cannot compile: the base runtime of Deno cannot be fetched from dl.deno.land (Connection refused (os error 111)); " +
    OTHERWISE,
  ]);
});

Deno.test("compile does not wait for a network that swallows what is sent", async () => {
  const connections: Deno.TcpConn[] = [];
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const accepting = (async () => {
    for await (const connection of listener) connections.push(connection);
  })();
  const { code, stderr } = await compile({ HTTPS_PROXY: `http://127.0.0.1:${listener.addr.port}` });
  listener.close();
  await accepting.catch(() => {});
  for (const connection of connections) connection.close();
  assertEquals([code, stderr], [
    1,
    "Cannot compile: the base runtime of Deno cannot be fetched from dl.deno.land (it did not answer within 5 s); " +
    OTHERWISE,
  ]);
  assert(connections.length > 0, "it did not try");
});

Deno.test("compile names a base runtime that is not there", async () => {
  const { code, stderr } = await compile({ DENORT_BIN: "/nonexistent/denort" });
  assertEquals([code, stderr], [
    1,
    `Cannot compile: DENORT_BIN names /nonexistent/denort, which is not a file; ${OTHERWISE}`,
  ]);
});
