import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { askHookChannel } from "../../lib/dialogs/hook_client.ts";
import { type HookChannel, openHookChannel } from "../../lib/dialogs/hook_channel.ts";
import { panewrightFromSource } from "../support/panewright.ts";
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

async function openBench(name = "channel"): Promise<Bench> {
  await using stack = new AsyncDisposableStack();
  const folder = `${stack.use(await tempDir()).path}/${name}`;
  const channel = stack.use(await openHookChannel({ folder, panewright: (await panewrightFromSource()).argv }));
  const resources = stack.move();
  return { folder, channel, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

Deno.test("a hook gets the answer to its request, in the words of its CLI", async () => {
  await using bench = await openBench();
  const { folder, channel } = bench;
  const asked: string[] = [];
  using _ = channel.listen("tester", async ({ request, reply }) => {
    asked.push(`${request.kind} ${request.subject} in ${request.cwd}`);
    await reply(request.subject === "ls" ? { behavior: "allow" } : { behavior: "deny", reason: "No." });
  });
  const { stdout, code } = await runHook(channel.hookOf("tester").command, payload("ls"));
  assertEquals([code, JSON.parse(stdout).hookSpecificOutput.decision], [0, { behavior: "allow" }]);
  const denied = await askHookChannel({ folder, role: "tester", payload: payload("rm x") });
  assertEquals(JSON.parse(denied).hookSpecificOutput.decision, { behavior: "deny", message: "No." });
  assertEquals(asked, ["command ls in /w", "command rm x in /w"]);
  assertEquals(channel.pending("tester"), []);
});

Deno.test("a request without an answer is remembered, and its hook says nothing", async () => {
  await using bench = await openBench();
  const { folder, channel } = bench;
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
  assertEquals(channel.pending("tester"), []);
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
  const child = new Deno.Command("sh", { args: ["-c", command], stdin: "piped", stdout: "piped" }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(input));
  await writer.close();
  const { code, stdout } = await child.output();
  return { code, stdout: new TextDecoder().decode(stdout) };
}
