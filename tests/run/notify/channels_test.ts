import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { Channel, Delivery } from "../../../lib/run/notify/channel.ts";
import { channelsOf } from "../../../lib/run/notify/channels.ts";
import { payloadOf } from "../../../lib/run/notify/webhook.ts";
import { signatureOf } from "../../../lib/run/notify/webhook.ts";
import { machineSecrets } from "../../../lib/run/notify/machine_secrets.ts";
import type { NotificationPlan } from "../../../lib/run/notify/plan.ts";
import { startNtfyServer } from "../../lab/ntfy_server.ts";
import { tempDir } from "../../support/temp_dir.ts";

const DELIVERY: Delivery = {
  id: "5d1c1f0e-0000-4000-8000-000000000000",
  at: "2026-11-20T07:26:05.000Z",
  run: "20261120-072605-3fa9",
  notification: { kind: "needed", title: "Läuft", text: "May it? “äll” 🙂", priority: 5 },
  actions: [{ label: "Jä", url: "http://127.0.0.1:1/answers", body: "a token" }],
  page: "https://my-machine.example/runs/20261120-072605-3fa9",
};

function only(plan: NotificationPlan, parts: Partial<Parameters<typeof channelsOf>[1]> = {}): Channel {
  const [channel] = channelsOf(plan, { workdir: "/", secrets: () => "0".repeat(64), ...parts });
  return channel!;
}

const send = (channel: Channel, delivery: Delivery = DELIVERY) => channel.deliver(delivery, { timeoutMs: 5000 });

Deno.test("ntfy gets title, priority, text, page and buttons, whatever characters they have", async () => {
  await using ntfy = startNtfyServer();
  await send(only({ ntfy: { url: `${ntfy.url}/`, topic: "my-jobs" } }));
  const [message] = ntfy.messages;
  const { id: _, time: __, ...told } = message!;
  assertEquals(told, {
    ...{ topic: "my-jobs", title: "Läuft", priority: "5", message: "May it? “äll” 🙂", authorization: undefined },
    click: DELIVERY.page,
    actions: [{
      ...{ action: "http", label: "Jä", url: "http://127.0.0.1:1/answers", method: "POST", body: "a token" },
      clear: true,
    } as never],
  });
});

Deno.test("in quiet hours a message comes without a sound, on each way; before and after them as it is", async () => {
  await using ntfy = startNtfyServer();
  const plan = { ntfy: { url: ntfy.url, topic: "t" }, quietHours: "22:00-07:00" };
  for (const [hour, minute] of [[21, 59], [22, 0], [3, 0], [6, 59], [7, 0]] as const) {
    await send(only(plan, { wallClock: () => new Date(2026, 10, 20, hour, minute) }));
  }
  assertEquals(ntfy.messages.map(({ priority }) => priority), ["5", "1", "1", "1", "5"]);
  const commands: (readonly string[])[] = [];
  const run = {
    run: ({ argv }: { readonly argv: readonly string[] }) => {
      commands.push(argv);
      return Promise.resolve({ code: 0, stdout: "", stderr: "", timedOut: false, truncated: false });
    },
  };
  await send(only({ desktop: true, quietHours: "00:00-12:00" }, { run, wallClock: () => new Date(2026, 10, 20, 11) }));
  assertEquals(commands[0]!.includes("--urgency=low"), Deno.build.os === "linux");
});

Deno.test("an access token goes along; a file that holds something else does not leave the machine", async () => {
  await using dir = await tempDir();
  await using ntfy = startNtfyServer();
  const tokenFile = `${dir.path}/token`;
  const channel = only({ ntfy: { url: ntfy.url, topic: "t", tokenFile } });
  await Deno.writeTextFile(tokenFile, "tk_abcdefghij0123456789abcdefghi\n");
  await send(channel);
  assertEquals(ntfy.messages[0]!.authorization, "Bearer tk_abcdefghij0123456789abcdefghi");
  await Deno.writeTextFile(tokenFile, "-----BEGIN OPENSSH PRIVATE KEY-----\n");
  await assertRejects(() => send(channel), Error, "does not hold an access token");
  assertEquals(ntfy.messages.length, 1);
});

Deno.test("a server that refuses, redirects or has gone is told, without what is secret in its address", async () => {
  await using ntfy = startNtfyServer();
  const channel = only({ webhook: { url: `${ntfy.url}/services/T0/secret?key=hidden` } });
  await assertRejects(() => send(channel), Error, "the server answered 404");
  const ours = only({ ntfy: { url: ntfy.url, topic: "t" } });
  ntfy.fail("publish", { status: 302, headers: { location: `${ntfy.url}/elsewhere` } });
  await assertRejects(() => send(ours), Error, "the server answered 302");
  assertEquals(ntfy.messages, []);
  const closed = only({ webhook: { url: "http://127.0.0.1:1/services/T0/secret?key=hidden" } });
  const { message } = await assertRejects(() => send(closed), Error);
  assertEquals([/secret|hidden/.test(message), closed.where], [false, "http://127.0.0.1:1"], message);
});

Deno.test("a webhook gets JSON that is signed with its time, by the key of the file or of this machine", async () => {
  await using dir = await tempDir();
  const received: { headers: Headers; body: string }[] = [];
  await using server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async (request) => {
    received.push({ headers: request.headers, body: await request.text() });
    return new Response("ok");
  });
  const url = `http://127.0.0.1:${server.addr.port}/hook`;
  const secretFile = `${dir.path}/key`;
  await Deno.writeTextFile(secretFile, "a key that is long enough\n");
  const secrets = machineSecrets(`${dir.path}/state`);
  const wallClock = () => new Date("2026-11-20T07:30:00.900Z");
  await send(only({ webhook: { url, secretFile } }, { wallClock }));
  await send(only({ webhook: { url } }, { wallClock, secrets }));
  const seconds = Date.parse("2026-11-20T07:30:00Z") / 1000;
  const keys = ["a key that is long enough", secrets("webhook.key")];
  for (const [index, { headers, body }] of received.entries()) {
    assertEquals(JSON.parse(body), payloadOf(DELIVERY));
    assertEquals(headers.get("panewright-signature"), await signatureOf(body, { seconds, key: keys[index]! }));
    assertEquals(headers.get("panewright-id"), DELIVERY.id);
    assertEquals(headers.get("content-type"), "application/json");
  }
  assertEquals(received.length, 2);
  await Deno.writeTextFile(secretFile, "short");
  await assertRejects(() => send(only({ webhook: { url, secretFile } })), Error, "fewer than 16 characters");
});

Deno.test("a command gets JSON on its standard input; what it says at its end is told where it fails", async () => {
  await using dir = await tempDir();
  const parts = { workdir: dir.path };
  await send(only({ command: ["sh", "-c", "cat > got.json"] }, parts));
  assertEquals(JSON.parse(await Deno.readTextFile(`${dir.path}/got.json`)), payloadOf(DELIVERY));
  const failing = only({ command: ["sh", "-c", "echo no phone >&2; exit 7"] }, parts);
  await assertRejects(() => send(failing), Error, "sh ended with exit code 7: no phone");
  await assertRejects(() => send(only({ command: ["no-such-program"] })), Error, "there is no program no-such-program");
});

Deno.test("the desktop gets text as arguments, with no markup, and no option", async () => {
  const started: (readonly string[])[] = [];
  const run = {
    run({ argv }: { readonly argv: readonly string[] }) {
      started.push(argv);
      return Promise.resolve({ code: 0, stdout: "", stderr: "", timedOut: false, truncated: false });
    },
  };
  const notification = {
    ...DELIVERY.notification,
    title: "--icon=/etc/passwd",
    text: '<a href="x">$(id)\\033[31m</a>',
  };
  await send(only({ desktop: true }, { run }), { ...DELIVERY, notification });
  const [argv] = started;
  assertStringIncludes(argv!.join("\n"), "--\n--icon=/etc/passwd");
  if (Deno.build.os === "linux") assertEquals(argv!.at(-1), '&lt;a href="x"&gt;$(id)\\\\033[31m&lt;/a&gt;');
});

Deno.test("what this machine makes up is made once, for its owner alone, and is no link", async () => {
  await using dir = await tempDir();
  const first = machineSecrets(dir.path)("buttons.key");
  assertEquals(machineSecrets(dir.path)("buttons.key"), first);
  assertEquals(/^panewright-[0-9a-f]{32}$/.test(machineSecrets(dir.path)("reply-topic")), true);
  const { mode } = await Deno.lstat(`${dir.path}/notify/buttons.key`);
  assertEquals((mode ?? 0) & 0o777, 0o600);
  await Deno.remove(`${dir.path}/notify/buttons.key`);
  await Deno.writeTextFile(`${dir.path}/elsewhere`, "0".repeat(64));
  await Deno.symlink(`${dir.path}/elsewhere`, `${dir.path}/notify/buttons.key`);
  await assertRejects(() => Promise.try(() => machineSecrets(dir.path)("buttons.key")), Error);
});
