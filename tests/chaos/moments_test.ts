import { assertEquals, assertRejects } from "@std/assert";
import { abortable } from "../../lib/base/ports/abortable.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { tempDir } from "../support/temp_dir.ts";
import { waitForMoment } from "./moments.ts";
import type { Moment } from "./plan.ts";

/** Waits for a moment while something happens, and says after which of the steps it came. */
async function stepOf(
  moment: Moment,
  nth: number,
  steps: readonly ((folder: string) => Promise<void>)[],
): Promise<number | undefined> {
  await using folder = await tempDir();
  const run = runFolderAt(folder.path, "run");
  await folder.write({ "responses/early.md": "", ".panewright/runs/run/responses/001-tester.md": "" });
  await Deno.writeTextFile(run.journalPath, '{"step":"enter"}\n');
  const stop = new AbortController();
  let came = false;
  let paused = Promise.withResolvers<() => void>();
  /** Until the one who waits has looked, and found nothing or what it waits for. */
  const looked = () => Promise.race([paused.promise, waiting.then(() => () => {})]);
  const waiting = waitForMoment(moment, {
    nth,
    run: () => Promise.resolve(run),
    responsesDir: `${folder.path}/responses`,
    signal: stop.signal,
    pause: (signal) => abortable(() => new Promise<void>((wake) => paused.resolve(wake)), signal),
  }).then(() => came = true, () => {});
  let step = 0;
  for (const act of [() => Promise.resolve(), ...steps]) {
    const wake = await looked();
    await act(folder.path);
    paused = Promise.withResolvers();
    wake();
    await looked();
    if (came) break;
    step++;
  }
  stop.abort();
  await waiting;
  return came ? step : undefined;
}

const note = (line: string) => (folder: string) =>
  Deno.writeTextFile(runFolderAt(folder, "run").journalPath, line, { append: true });
const ENTER = note('{"type":"message_sending","step":"enter"}\n');
const PASTE = note('{"type":"message_sending","step":"paste"}\n');
const appear = (name: string) => (folder: string) => Deno.writeTextFile(`${folder}/responses/${name}`, "");
const archive = (name: string) => (folder: string) =>
  Deno.writeTextFile(`${runFolderAt(folder, "run").responsesDir}/${name}`, "");
const vanish = (name: string) => (folder: string) => Deno.remove(`${folder}/responses/${name}`);

Deno.test("an Enter that the journal announces is seen, and counted from the start", async () => {
  assertEquals(await stepOf("enter", 1, [PASTE, ENTER]), 2);
  assertEquals(await stepOf("enter", 2, [ENTER, PASTE, ENTER]), 3);
  assertEquals(await stepOf("enter", 2, [ENTER]), undefined);
});

Deno.test("a response file is seen when it has appeared, also under a name that was there before", async () => {
  assertEquals(await stepOf("response", 1, [appear("a.md.partial"), appear("a.md")]), 2);
  assertEquals(await stepOf("response", 2, [appear("a.md"), vanish("a.md"), appear("a.md")]), 3);
  assertEquals(await stepOf("response", 1, [vanish("early.md")]), undefined);
});

Deno.test("a file that was moved to the archive is seen", async () => {
  assertEquals(await stepOf("archived", 1, [appear("a.md"), archive("002-tester.md")]), 2);
  assertEquals(await stepOf("archived", 2, [archive("002-tester.md")]), undefined);
});

Deno.test("nobody waits for what does not come any more", async () => {
  const reason = new Error("over");
  const options = { nth: 1, run: () => Promise.resolve(undefined), responsesDir: "/nonexistent" };
  for (const moment of ["enter", "response", "archived"] as const) {
    await assertRejects(() => waitForMoment(moment, { ...options, signal: AbortSignal.abort(reason) }), Error, "over");
  }
});
