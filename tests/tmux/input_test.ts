import { assertEquals, assertRejects } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { pasteText, sendKeys } from "../../lib/tmux/input.ts";
import type { TmuxClient, TmuxCommand } from "../../lib/tmux/client.ts";
import type { TmuxSession } from "../../lib/tmux/session.ts";
import { type TmuxSandbox, tmuxSandbox, until } from "./support.ts";
import { sanitizePaste } from "../../lib/base/text/sanitize.ts";

/** A client that only notes what it is asked to run. */
function createRecordingClient(codeOf: (command: TmuxCommand) => number) {
  const calls: { readonly commands: readonly TmuxCommand[]; readonly stdin: string | undefined }[] = [];
  const runAll: TmuxClient["runAll"] = (commands, { stdin } = {}) => {
    calls.push({ commands, stdin });
    const code = Math.max(...commands.map(codeOf));
    return Promise.resolve({ code, stdout: "", stderr: "", timedOut: false, truncated: false });
  };
  const client: TmuxClient = {
    socket: "none",
    runAll,
    run: (command, options) => runAll([command], options),
    runAllSync() {},
  };
  return { client, calls };
}

/** A program in raw mode that writes every byte that reaches it to a file. */
async function recorder(sandbox: TmuxSandbox, session: TmuxSession, bracketed: boolean) {
  const file = `${sandbox.home}/bytes`;
  const script = `stty raw -echo; printf '\\033[?2004${bracketed ? "h" : "l"}'; touch "$0.ready"; exec cat > "$0"`;
  const pane = await session.openPane({ name: "a", argv: ["bash", "-c", script, file], cwd: sandbox.home });
  const exists = (path: string) => Deno.lstat(path).then(() => true, () => false);
  await until(() => exists(`${file}.ready`), (there) => there);
  return { pane, bytes: () => Deno.readTextFile(file).catch(() => "") };
}

Deno.test("text is pasted bracketed, literally, and the buffer does not stay", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open();
  const { pane, bytes } = await recorder(sandbox, session, true);
  const text = "-t %9 #{pane_id} $HOME `x` ;\n'é›🙂' \\n;";
  await pasteText(sandbox.client, pane.paneId, { text });
  const expected = `\x1b[200~${text.replaceAll("\n", "\r")}\x1b[201~`;
  assertEquals(await until(bytes, (got) => got.length >= expected.length), expected);
  assertEquals((await sandbox.client.run(["list-buffers"])).stdout, "");
});

Deno.test("a large text arrives whole", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open();
  const { pane, bytes } = await recorder(sandbox, session, true);
  const text = "0123456789abcdef é\n".repeat(15_000);
  await pasteText(sandbox.client, pane.paneId, { text });
  assertEquals((await until(bytes, (got) => got.endsWith("\x1b[201~"))).length, text.length + 12);
});

Deno.test("nothing is pasted before the whole text is in its buffer", async () => {
  const { client, calls } = createRecordingClient(() => 0);
  const text = "0123456789".repeat(10_000);
  await pasteText(client, "%1", { text });
  const [load, paste, ...others] = calls;
  assertEquals([load?.commands.map(([name]) => name), load?.stdin], [["load-buffer"], text]);
  assertEquals([paste?.commands.map(([name]) => name), paste?.stdin, others], [["paste-buffer"], undefined, []]);
});

Deno.test("a buffer that could not be filled is not pasted, and does not stay", async () => {
  const { client, calls } = createRecordingClient(([name]) => name === "load-buffer" ? 1 : 0);
  await assertRejects(() => pasteText(client, "%1", { text: "x" }), RuntimeError, "Cannot paste into pane %1");
  assertEquals(calls.flatMap(({ commands }) => commands.map(([name]) => name)), ["load-buffer", "delete-buffer"]);
});

Deno.test("keys are pressed by name, and a word that looks like an option is no option", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open();
  const { pane, bytes } = await recorder(sandbox, session, false);
  await sendKeys(sandbox.client, pane.paneId, { keys: ["y", "Enter", "-R"] });
  assertEquals(await until(bytes, (got) => got.length >= 4), "y\r-R");
});

Deno.test("input for a pane that is gone is an error, and leaves no buffer", async () => {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open();
  await assertRejects(
    () => pasteText(sandbox.client, "%99", { text: "x" }),
    RuntimeError,
    "Cannot paste into pane %99",
  );
  await assertRejects(() => sendKeys(sandbox.client, "%99", { keys: ["Enter"] }), RuntimeError, "Cannot press Enter");
  assertEquals((await session.client.run(["list-buffers"])).stdout, "");
});

Deno.test("sanitizing leaves nothing that a terminal program could act upon", () => {
  const everything = Array.from({ length: 0x250 }, (_, code) => String.fromCharCode(code)).join("") + "\ud800";
  const clean = sanitizePaste(everything);
  // deno-lint-ignore no-control-regex -- that none is left is the point
  assertEquals(clean.match(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g), null);
  assertEquals(sanitizePaste(clean), clean);
  assertEquals(sanitizePaste("a\rb\r\nc\n\rd"), "a\nb\nc\n\nd");
  assertEquals(sanitizePaste("\x9b201~\x1b\x1b[201~[201~"), "\ufffd201~␛␛[201~[201~");
});
