import { believedJournal } from "../support/believed_journal.ts";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { startProgram } from "../support/program.ts";
import {
  assertEndedInGoodOrder,
  assertGoesOn,
  assertJournalIsWhole,
  type FailureStage,
  mindingPermissions,
  passAfter,
  REFUSABLE,
  setUpFailureStage,
  type StartedRun,
  watchProgram,
} from "./failures_stage.ts";

/**
 * From now on no file of the running panewright may grow beyond so many bytes. Its writes are refused in the middle
 * then, as on a full disk; and it needs neither privileges nor a disk to fill.
 */
async function limitFiles(stage: FailureStage, run: StartedRun, bytes: number): Promise<void> {
  const { code, stderr } = await stage.command("prlimit", "--pid", String(run.pid), `--fsize=${bytes}:`);
  assertEquals(code, 0, stderr);
}

Deno.test("disk full in the middle of a journal record: the run ends in good order, and goes on where there is room", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(1500) });
  await using run = stage.runThrough(...REFUSABLE);
  await run.untilTesterWorks();
  const journal = believedJournal(await run.folder(), stage.sandbox.home);
  await limitFiles(stage, run, (await Deno.stat(journal)).size + 30);
  await assertEndedInGoodOrder(run, { stage, words: [`Cannot write the journal ${journal}`, "raise the limit"] });
  await assertJournalIsWhole(await run.folder());
  // What the agent has written meanwhile is taken: it is not asked again.
  assertEquals(await assertGoesOn(stage, run), []);
});

Deno.test("disk full while a prompt is written down: it is not sent, and the run goes on where there is room", async () => {
  const response = "A plan.\n".repeat(6000);
  await using stage = await setUpFailureStage({
    tester: passAfter(100),
    // The whole of it is quoted.
    config: { start_agent: "analyst", condensation: { max_response_chars: 2 * response.length } },
    others: { analyst: [{ think: 1000 }, { respond: response }, { stream: "Done." }] },
  });
  await using run = stage.runThrough(...REFUSABLE);
  await run.fact("status_changed", ({ role, status }) => role === "analyst" && status === "processing");
  // The response fits, and so does the journal; the prompt that quotes the response does not.
  await limitFiles(stage, run, response.length + 500);
  const folder = await run.folder();
  await assertEndedInGoodOrder(run, {
    stage,
    words: [`Cannot write a message to ${folder}/messages`, "raise the limit"],
  });
  const prompts = run.facts().filter(({ type, role }) => type === "message_sending" && role === "analyst_review");
  assertEquals(prompts, []);
  const sent = await assertGoesOn(stage, run);
  assertEquals(sent.filter(({ role }) => role === "analyst_review").length, 1);
});

Deno.test("disk full while the audit log is written: the dialog is not answered, the run ends in good order", async () => {
  const asks = { run: { command: "ls", approval: "May I look?", output: "x" } };
  await using stage = await setUpFailureStage({
    tester: [{ think: 1500 }, asks, ...passAfter(100)],
    config: { permissions: { auto_accept: true } },
  });
  await using run = stage.runThrough(...REFUSABLE);
  await run.untilTesterWorks();
  const folder = await run.folder();
  const journal = (await Deno.stat(`${folder}/journal.ndjson`)).size;
  const audit = `${folder}/audit.ndjson`;
  // A file that nothing can be written to, while the journal has room for all that follows.
  const { size } = await Deno.stat(audit);
  await Deno.truncate(audit, journal + 4000);
  await limitFiles(stage, run, journal + 4000);
  await assertEndedInGoodOrder(run, { stage, words: [`Cannot write the audit log ${audit}`, "raise the limit"] });
  assertEquals(run.facts().filter(({ type }) => type === "dialog_answered"), []);
  await Deno.truncate(audit, size);
  await assertGoesOn(stage, run);
});

/**
 * Runs panewright with a file system of 512 KB for what it keeps, which is full once `$FILL` is there; then goes on
 * with room.
 */
const ON_SMALL_DISK = `
mount -t tmpfs -o size=512k none .panewright || exit 99
(while [ ! -e "$FILL" ]; do sleep 0.05; done; cat /dev/zero > .panewright/filler) 2>/dev/null &
"$@" run --json
echo "$?" > "$FILL.code"
kill $! 2>/dev/null
wait
rm -f .panewright/filler
exec "$@" resume --json
`;

Deno.test("disk full for real, a tmpfs without a byte left: the run ends in good order, and goes on where there is room", async (t) => {
  await using stage = await setUpFailureStage({ tester: passAfter(1500) });
  const { sandbox: { project, root }, panewright } = stage;
  await Deno.mkdir(`${project}/.panewright`);
  const inside = ["unshare", "--user", "--map-root-user", "--mount"] as const;
  const mountable = await stage.command(...inside, "mount", "-t", "tmpfs", "none", ".panewright");
  if (mountable.code !== 0) {
    await t.step({ name: `nothing can be mounted here: ${mountable.stderr.trim()}`, ignore: true, fn: () => {} });
    return;
  }
  const env = { ...stage.env, FILL: `${root}/fill` };
  const program = startProgram([...inside, "sh", "-c", ON_SMALL_DISK, "sh", ...panewright.argv], { cwd: project, env });
  await using run = watchProgram(program, { env, project });
  await run.untilTesterWorks();
  await Deno.writeTextFile(env.FILL, "");
  const { code, stderr } = await run.ended();
  assertEquals(code, 0, stderr);
  assertEquals(await Deno.readTextFile(`${env.FILL}.code`), "1\n");
  assertMatch(stderr, /^panewright: Cannot (?:archive|write) .*: No space left on device/m);
  assertStringIncludes(stderr, "The disk is full: free some space.");
  assertEquals(run.facts().filter(({ type, role }) => type === "message_sent" && role === "tester").length, 1);
  await Deno.remove(`${project}/.panewright`);
  await stage.sandbox.assertNothingLeft();
});

/** A test whose run minds the permissions of files; left out where root cannot be made to. */
function readOnlyTest(name: string, test: (stage: FailureStage, run: () => StartedRun) => Promise<void>): void {
  Deno.test(name, async (t) => {
    await using stage = await setUpFailureStage({ tester: passAfter(1500) });
    const through = await mindingPermissions(stage);
    if (through === undefined) {
      await t.step({ name: "root cannot give up its power over files here", ignore: true, fn: () => {} });
      return;
    }
    await test(stage, () => stage.runThrough(...through));
  });
}

readOnlyTest(
  "folder made read-only in the middle: the response stays where it is, and is taken when the run goes on",
  async (stage, start) => {
    await using run = start();
    await run.untilTesterWorks();
    const responses = `${await run.folder()}/responses`;
    const response = `${stage.sandbox.project}/.tmp/agent-responses/test_result.md`;
    await Deno.chmod(responses, 0o555);
    const words = [`Cannot archive ${response} in ${responses}: Permission denied`, "writable for the user"];
    await assertEndedInGoodOrder(run, { stage, words });
    assertStringIncludes(await Deno.readTextFile(response), "RESULT: PASS");
    await Deno.chmod(responses, 0o755);
    assertEquals(await assertGoesOn(stage, run), []);
  },
);

readOnlyTest(
  "folder made read-only where agents respond: no prompt goes out, and the run goes on afterwards",
  async (stage, start) => {
    const folder = `${stage.sandbox.project}/.tmp/agent-responses`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.chmod(folder, 0o555);
    await using run = start();
    await assertEndedInGoodOrder(run, { stage, words: [`Cannot write in ${folder}: Permission denied`, "writable"] });
    assertEquals(run.facts().filter(({ type }) => type === "message_sending"), []);
    await Deno.chmod(folder, 0o755);
    assertEquals((await assertGoesOn(stage, run)).length, 1);
  },
);

readOnlyTest(
  "folder read-only from the start: no run begins, and the message says which folder",
  async (stage, start) => {
    const { project } = stage.sandbox;
    await Deno.chmod(project, 0o555);
    await using run = start();
    const { code, stderr } = await run.ended();
    await Deno.chmod(project, 0o755);
    assertEquals(code, 2);
    assertStringIncludes(stderr, `Cannot start the run: 1 problem\n  working directory: ${project} is not writable: `);
    await stage.sandbox.assertNothingLeft();
  },
);

Deno.test("folder replaced by a file in the middle: the response stays where it is, and is taken when the run goes on", async () => {
  await using stage = await setUpFailureStage({ tester: passAfter(1500) });
  await using run = stage.run();
  await run.untilTesterWorks();
  const responses = `${await run.folder()}/responses`;
  await Deno.rename(responses, `${responses}.away`);
  await Deno.writeTextFile(responses, "");
  await assertEndedInGoodOrder(run, { stage, words: ["Cannot archive", responses] });
  await Deno.remove(responses);
  await Deno.rename(`${responses}.away`, responses);
  assertEquals(await assertGoesOn(stage, run), []);
});
