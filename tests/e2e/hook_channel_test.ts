import { spoolAt } from "../../lib/agents/spool.ts";
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { exists } from "@std/fs";
import { askHookChannel } from "../../lib/turn/desk/hook_client.ts";
import { type HookChannel, openHookChannel } from "../../lib/turn/desk/hook_channel.ts";
import { MAX_PAYLOAD_BYTES } from "../../lib/turn/desk/hook_protocol.ts";
import { RuntimeError } from "../../lib/base/errors.ts";
import { panewrightCommands, panewrightFromSource } from "../support/panewright.ts";
import { runProgram } from "../support/program.ts";
import { tempDir } from "../support/temp_dir.ts";

const payload = (command: string) =>
  JSON.stringify({
    hook_event_name: "PermissionRequest",
    cwd: "/w",
    tool_name: "Bash",
    tool_input: { command },
  });

interface Bench extends AsyncDisposable {
  readonly folder: string;
  readonly channel: HookChannel;
}

/** @param panewright the argv that starts it; without one it is the small program */
async function openBench(name = "channel", panewright?: readonly string[]): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const folder = `${stack.use(await tempDir()).path}/${name}`;
  const channel = stack.use(
    await openHookChannel({ place: spoolAt(folder), ...(panewright === undefined ? {} : { panewright }) }),
  );
  const resources = stack.move();
  return { folder, channel, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

const panewrights = [undefined, ...await panewrightCommands()];
for (const panewright of panewrights) {
  const name = panewright === undefined ? "the small program" : `panewright from ${panewright.name}`;
  Deno.test(`a hook gets the answer to its request, in the words of its CLI: ${name}`, async () => {
    await using bench = await openBench("a channel: 'another'", panewright?.argv);
    const { channel } = bench;
    const asked: string[] = [];
    using _ = channel.listen("tester", async ({ request, reply }) => {
      asked.push(`${request.kind} ${request.subject} in ${request.cwd}`);
      await reply(request.subject === "ls" ? { behavior: "allow" } : { behavior: "deny", reason: "No." });
    });
    const decisions = [];
    for (const command of ["ls", "rm x"]) {
      const { stdout, stderr, code } = await runHook(channel.hookOf("tester").command, payload(command));
      assertEquals([code, stderr], [0, ""]);
      decisions.push(JSON.parse(stdout).hookSpecificOutput.decision);
    }
    assertEquals(decisions, [{ behavior: "allow" }, { behavior: "deny", message: "No." }]);
    assertEquals(asked, ["command ls in /w", "command rm x in /w"]);
    assertEquals(channel.pending("tester"), []);
  });
}

Deno.test("a request of any length arrives as it is, and one that is too long is not asked", async () => {
  await using bench = await openBench();
  const asked: string[] = [];
  using _ = bench.channel.listen("tester", async ({ request, reply }) => {
    asked.push(request.subject);
    await reply({ behavior: "allow" });
  });
  const long = `a${"é€".repeat(100_000)}`;
  const { command } = bench.channel.hookOf("tester");
  assertStringIncludes((await runHook(command, payload(long))).stdout, "allow");
  assertEquals((await runHook(command, payload("x".repeat(MAX_PAYLOAD_BYTES)))).stdout, "");
  assertEquals(asked, [long]);
});

Deno.test("the bundle's hook is the small program beside it, and the bundle itself where that is missing", async () => {
  await using dir = await tempDir();
  const bundle = new URL("../../dist/", import.meta.url).pathname;
  const { env } = await panewrightFromSource();
  const script = `import { hookCommand } from "./hook_command.mjs";
    console.log(hookCommand({ folder: "/f", socket: "/f/s", role: "tester" }));`;
  const built = await runProgram([
    Deno.execPath(),
    "bundle",
    "--quiet",
    "-o",
    `${dir.path}/hook_command.mjs`,
    "lib/turn/desk/hook_command.ts",
  ], { cwd: new URL("../../", import.meta.url).pathname, env, timeoutMs: 60_000 });
  assertEquals(built.code, 0, built.stderr);
  await Deno.writeTextFile(`${dir.path}/main.mjs`, script);
  const command = async () => {
    const argv = [Deno.execPath(), "run", "--quiet", "--allow-all", `${dir.path}/main.mjs`] as const;
    return (await runProgram(argv, { cwd: dir.path, env, timeoutMs: 20_000 })).stdout;
  };
  assertStringIncludes(await command(), `${dir.path}/main.mjs hook --channel /f --role tester`);
  await Deno.copyFile(`${bundle}panewright-hook.mjs`, `${dir.path}/panewright-hook.mjs`);
  assertStringIncludes(await command(), `${dir.path}/panewright-hook.mjs /f tester`);
});

Deno.test("a request without an answer is remembered, and its hook says nothing", async () => {
  await using bench = await openBench();
  const { folder, channel } = bench;
  channel.hookOf("tester");
  assertEquals(await askHookChannel({ folder, role: "tester", payload: payload("one") }), "");
  using _ = channel.listen("tester", () => Promise.reject(new Error("It broke")));
  assertEquals(await askHookChannel({ folder, role: "tester", payload: payload("two") }), "");
  const pending = channel.pending("tester");
  assertEquals(pending.map(({ subject }) => subject), ["one", "two"]);
  channel.forget("tester", pending.slice(0, 1));
  assertEquals(channel.pending("tester").map(({ subject }) => subject), ["two"]);
  assertEquals(channel.pending("analyst"), []);
});

Deno.test("nobody but a hook of the run is listened to", async () => {
  await using bench = await openBench();
  const { folder, channel } = bench;
  channel.hookOf("tester");
  using _ = channel.listen("tester", async ({ reply }) => await reply({ behavior: "allow" }));
  const file = JSON.parse(await Deno.readTextFile(`${folder}/channel.json`));
  for (
    const message of [
      { secret: "", role: "tester", payload: payload("ls") },
      { secret: `${file.secret}0`, role: "tester", payload: payload("ls") },
      { role: "tester", payload: payload("ls") },
      { secret: file.secret, role: "nobody", payload: payload("ls") },
      { secret: file.secret, role: "tester", payload: "{" },
      { secret: file.secret, role: "tester", payload: '{"hook_event_name":"Stop"}' },
    ]
  ) {
    using connection = await Deno.connect({ transport: "unix", path: file.socket });
    await connection.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
    assertEquals(await connection.read(new Uint8Array(64)), null, JSON.stringify(message));
  }
  assertEquals([channel.pending("tester"), channel.pending("nobody")], [[], []]);
});

Deno.test("only the owner can reach a channel, and nothing is left of it", async () => {
  let folder = "";
  for (const name of ["short", "long/".repeat(20) + "folder"]) {
    const mode = async (path: string) => ((await Deno.stat(path)).mode ?? 0) & 0o777;
    let socket = "";
    {
      await using bench = await openBench(name);
      folder = bench.folder;
      socket = JSON.parse(await Deno.readTextFile(`${folder}/channel.json`)).socket;
      assertEquals([await mode(folder), await mode(`${folder}/channel.json`), await mode(socket)], [
        0o700,
        0o600,
        0o600,
      ]);
      assertEquals(await mode(socket.slice(0, socket.lastIndexOf("/"))), 0o700);
      assert(new TextEncoder().encode(socket).length <= 100);
    }
    assertEquals([await exists(folder), await exists(socket)], [false, false]);
  }
});

Deno.test("a channel is not opened where its hooks could not reach it", async () => {
  await assertRejects(() => openBench("a,b"), RuntimeError, "there is a comma in the path");
});

Deno.test("without a channel, or with a broken one, a hook prints nothing and ends well", async () => {
  const { argv, env } = await panewrightFromSource();
  await using dir = await tempDir();
  const call = (...args: string[]) => runProgram([...argv, "hook", ...args], { cwd: dir.path, env, timeoutMs: 20_000 });
  await Deno.writeTextFile(`${dir.path}/channel.json`, '{"socket":"/nowhere","secret":"x"}');
  for (
    const args of [[], ["--channel", `${dir.path}/none`, "--role", "tester"], ["--channel", dir.path, "--role", "a"]]
  ) {
    const { code, stdout, stderr } = await call(...args);
    assertEquals([code, stdout, stderr], [0, "", ""], args.join(" "));
  }
});

async function runHook(command: string, input: string) {
  const child = new Deno.Command("sh", { args: ["-c", command], stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout, stderr } = await child.output();
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  return { code, stdout: out ?? "", stderr: err ?? "" };
}
