import { assert, assertEquals, assertRejects } from "@std/assert";
import { UsageError } from "../../lib/base/errors.ts";
import { removeRunEntry } from "../../lib/run/run_entry.ts";
import { claimRunMail, findRunMail } from "../../lib/run/run_mail.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import { RUN_ID } from "../support/run_folders.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

async function runIn(dir: TempDir, project: string) {
  const run = runFolderAt(`${dir.path}/${project}`, RUN_ID);
  await Deno.mkdir(run.path, { recursive: true });
  return run;
}

const modeOf = (path: string) => (Deno.lstatSync(path).mode ?? 0) & 0o777;

Deno.test("what is said to a run is kept by its owner alone; runs with the same id have it apart, and it goes with its run", async () => {
  await using dir = await tempDir();
  const state = `${dir.path}/state`;
  const [one, other] = [await runIn(dir, "one"), await runIn(dir, "other")];
  assertEquals(findRunMail(one, state), undefined);
  removeRunEntry(one, state);
  const claims = await Promise.all([one, one, other, one].map((run) => claimRunMail(run, { state })));
  assertEquals(new Set(claims.map(({ answersDir }) => answersDir)).size, 2);
  assertEquals(findRunMail(one, state), claims[0]);
  assertEquals(findRunMail(other, state), claims[2]);
  const { answersDir, inboxDir } = claims[0]!;
  const places = [state, `${state}/runs`, `${state}/runs/${RUN_ID}`, answersDir, inboxDir];
  assertEquals(places.map(modeOf), places.map(() => 0o700));
  assertEquals(modeOf(`${answersDir}/../place`), 0o600);
  removeRunEntry(one, state);
  assertEquals([findRunMail(one, state), findRunMail(other, state)], [undefined, claims[2]]);
  removeRunEntry(other, state);
  assertEquals([...Deno.readDirSync(`${state}/runs`)], []);
});

Deno.test("a run that is moved keeps what was said to it; a copy does not get it; a link and a mount are no other place", async () => {
  await using dir = await tempDir();
  const state = `${dir.path}/state`;
  const run = await runIn(dir, "one");
  const mail = await claimRunMail(run, { state });
  await Deno.symlink(`${dir.path}/one`, `${dir.path}/link`);
  assertEquals(await claimRunMail(runFolderAt(`${dir.path}/link`, RUN_ID), { state }), mail);
  const copy = await runIn(dir, "copy");
  assertEquals(findRunMail(copy, state), undefined);
  await Deno.rename(`${dir.path}/one`, `${dir.path}/moved`);
  const moved = runFolderAt(`${dir.path}/moved`, RUN_ID);
  assertEquals(findRunMail(moved, state), mail);
  assertEquals(await claimRunMail(moved, { state }), mail);
  assertEquals(findRunMail(copy, state), undefined);
  const own = await claimRunMail(copy, { state });
  assert(own.answersDir !== mail.answersDir);
  // The original is gone: the copy has its own still.
  await Deno.remove(`${dir.path}/moved`, { recursive: true });
  assertEquals(findRunMail(copy, state), own);
});

Deno.test("a state folder that others may write to, or a link in its place: nothing is taken from there, and the person is told", async () => {
  await using dir = await tempDir();
  const run = await runIn(dir, "one");
  for (const spoiled of ["", "/runs", `/runs/${RUN_ID}`]) {
    const state = `${dir.path}/state`;
    await claimRunMail(run, { state });
    await Deno.chmod(`${state}${spoiled}`, 0o777);
    assertEquals(findRunMail(run, state), undefined, spoiled);
    await Deno.rename(`${state}${spoiled}`, `${dir.path}/elsewhere`);
    await Deno.symlink(`${dir.path}/elsewhere`, `${state}${spoiled}`);
    assertEquals(findRunMail(run, state), undefined, spoiled);
    await assertRejects(() => claimRunMail(run, { state }), UsageError, "is a link");
    await Deno.remove(`${state}${spoiled}`);
    for (const left of [state, `${dir.path}/elsewhere`]) await Deno.remove(left, { recursive: true }).catch(() => {});
  }
});
