import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { ensureResponseDir, responsePathFor } from "../../lib/turn/response_files.ts";
import { type DispatchMark, markDispatch, readResponse, takeUpDispatch } from "../../lib/turn/response_reading.ts";
import { waitForResponseFile } from "../../lib/turn/terminal_api.ts";
import { systemProcessRunner } from "../../lib/base/ports/process.ts";
import { tempDir } from "../support/temp_dir.ts";

const HOUR_MS = 3_600_000;

/**
 * What a response is worth that was written at this moment, where the clock was set back between prompt and response.
 */
async function readAfterSetBack({ byMs, writtenMs }: { readonly byMs: number; readonly writtenMs: number }) {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const now = markDispatch(workdir.path);
  // The file system's clock cannot be set here: it is as if it had been that much ahead when the prompt went out.
  const dispatch: DispatchMark = { ...now, mtimeMs: now.mtimeMs + byMs };
  const path = responsePathFor(workdir.path, "tester");
  await Deno.writeTextFile(path, "RESULT: PASS");
  const written = new Date(now.mtimeMs + writtenMs);
  await Deno.utime(path, written, written);
  return readResponse({ workdir: workdir.path, role: "tester", maxBytes: 1000, dispatch }).kind;
}

Deno.test("clock set back by an hour: the response to a prompt from before counts, one from before the prompt does not", async () => {
  assertEquals(await readAfterSetBack({ byMs: HOUR_MS, writtenMs: 5 }), "text");
  assertEquals(await readAfterSetBack({ byMs: HOUR_MS, writtenMs: -60_000 }), "unusable");
});

Deno.test("clock set back by an hour while no panewright ran: a response counts, whenever it was written", async () => {
  await using workdir = await tempDir();
  await ensureResponseDir(workdir.path);
  const path = responsePathFor(workdir.path, "tester");
  const write = async (mtimeMs: number) => {
    await Deno.writeTextFile(path, "RESULT: PASS");
    await Deno.utime(path, new Date(mtimeMs), new Date(mtimeMs));
  };
  const { mtimeMs } = markDispatch(workdir.path);
  const read = (dispatchedAtMs: number) => {
    const dispatch = takeUpDispatch(workdir.path, { mtimeMs: dispatchedAtMs });
    return readResponse({ workdir: workdir.path, role: "tester", maxBytes: 1000, dispatch }).kind;
  };
  await write(mtimeMs - 60_000);
  assertEquals(read(mtimeMs + HOUR_MS), "text");
  assertEquals(read(mtimeMs - 50_000), "unusable");
  assertEquals(read(mtimeMs - 70_000), "text");
});

Deno.test("clock set forward by an hour, or not at all: a response from before its prompt does not count", async () => {
  assertEquals(await readAfterSetBack({ byMs: -HOUR_MS, writtenMs: 5 }), "text");
  assertEquals(await readAfterSetBack({ byMs: -HOUR_MS, writtenMs: -HOUR_MS - 60_000 }), "unusable");
  assertEquals(await readAfterSetBack({ byMs: 0, writtenMs: 5 }), "text");
  assertEquals(await readAfterSetBack({ byMs: 0, writtenMs: -1000 }), "unusable");
});

Deno.test("disk full while a response is copied to the archive of another file system: the response stays where it is", async (t) => {
  await using workdir = await tempDir();
  // Deno grants what is below /dev to nothing less than --allow-all, so other programs look there.
  const run = async (...argv: [string, ...string[]]) => (await systemProcessRunner.run({ argv })).stdout.trim();
  const other = await run("mktemp", "-d", "/dev/shm/panewright-test-XXXXXX");
  const devices = await run("stat", "-c", "%d", workdir.path, other || workdir.path);
  if (new Set(devices.split("\n")).size === 1) {
    await t.step({ name: "this machine has one file system only", ignore: true, fn: () => {} });
    return;
  }
  try {
    const source = `${workdir.path}/response.md`;
    const text = "x".repeat(200_000);
    await Deno.writeTextFile(source, text);
    const program = new URL("./archive_full.ts", import.meta.url).pathname;
    // A limit on the size of files refuses the write in the middle, as a full disk does; its signal is ignored.
    const limited = ["sh", "-c", `trap "" XFSZ; ulimit -f 16; exec "$@"`, "sh"] as const;
    const told = await run(...limited, Deno.execPath(), "run", "--quiet", "--no-check", "-A", program, source, other);
    assertStringIncludes(told, `Cannot archive ${source} in ${other}: File too large`);
    assertEquals(await Deno.readTextFile(source), text);
    assertEquals(await run("find", other, "-type", "f"), "");
  } finally {
    await run("rm", "-r", other);
  }
});

for (const part of [".tmp", ".tmp/agent-responses"]) {
  Deno.test(`folder replaced in the middle of a turn: a ${part} that is no folder ends the turn with its path`, async () => {
    await using workdir = await tempDir();
    await ensureResponseDir(workdir.path);
    await Deno.remove(`${workdir.path}/${part}`, { recursive: true });
    await Deno.writeTextFile(`${workdir.path}/${part}`, "not a folder");
    const api = {
      getStatus: () => Promise.resolve("idle" as const),
      sendInput: () => Promise.resolve(),
      getLastOutput: () => Promise.resolve(""),
    };
    await assertRejects(
      () => waitForResponseFile(api, "t-1", "tester", { workdir: workdir.path, settings: { pollSeconds: 0.01 } }),
      RuntimeError,
      `${workdir.path}/${part} is not a folder`,
    );
  });
}
