import { assert, assertEquals } from "@std/assert";
import { exists } from "@std/fs";
import { ASKING_LOOKS, openSpool, spoolAt } from "../../lib/agents/spool.ts";
import { until } from "../support/until.ts";
import { tempDir } from "../support/temp_dir.ts";

/** Runs a command as the agents' CLIs run a hook. */
async function run(command: string, input: string, shell = "sh") {
  const child = new Deno.Command(shell, { args: ["-c", command], stdin: "piped", stdout: "piped", stderr: "piped" })
    .spawn();
  const writer = child.stdin.getWriter();
  // It may end without having read it.
  await writer.write(new TextEncoder().encode(input)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  return [code, new TextDecoder().decode(stdout), new TextDecoder().decode(stderr)];
}

const QUIET = [0, "", ""];

Deno.test("messages come in whole and in their order, each to its sender and once", async () => {
  await using dir = await tempDir();
  await using spool = await openSpool(spoolAt(`${dir.path}/it's a spool`));
  const large = "x".repeat(200_000);
  for (const text of ["one", "", large]) assertEquals(await run(spool.commandFor("tester"), text), QUIET);
  assertEquals(await run(spool.commandFor("analyst"), "two", "bash"), QUIET);
  assertEquals(spool.take("tester").map(({ text }) => text), ["one", "", large]);
  assertEquals(spool.take("tester"), []);
  assertEquals(spool.take("analyst").map(({ text }) => text), ["two"]);
  assertEquals([...Deno.readDirSync(`${dir.path}/it's a spool`)], []);
});

Deno.test("messages of one moment are in the order of their processes", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  await using spool = await openSpool(spoolAt(folder));
  for (const pid of [1000, 99, 101]) {
    await Deno.writeTextFile(`${folder}/tester.${pid}`, `${pid}`);
    await Deno.utime(`${folder}/tester.${pid}`, 1000, 1000);
  }
  await Deno.writeTextFile(`${folder}/tester.98`, "later");
  assertEquals(spool.take("tester").map(({ text }) => text), ["99", "101", "1000", "later"]);
});

Deno.test("whoever waits for a message of a sender is told when it is there", async () => {
  await using dir = await tempDir();
  await using spool = await openSpool(spoolAt(`${dir.path}/spool`));
  const arrived = Promise.withResolvers<void>();
  let others = 0;
  using _one = spool.onArrival("tester", arrived.resolve);
  using _other = spool.onArrival("analyst", () => void others++);
  await run(spool.commandFor("tester"), "one");
  await arrived.promise;
  assertEquals([spool.take("tester").length, others], [1, 0]);
});

Deno.test("what was left while nobody listened is there for the next process", async () => {
  await using dir = await tempDir();
  let command = "";
  {
    await using spool = await openSpool(spoolAt(`${dir.path}/spool`));
    command = spool.commandFor("tester");
  }
  assertEquals(await run(command, "meanwhile"), QUIET);
  await using spool = await openSpool(spoolAt(`${dir.path}/spool`));
  assertEquals(spool.take("tester").map(({ text }) => text), ["meanwhile"]);
});

Deno.test("one that asks prints the answer, or what it was given where there is none", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  await using spool = await openSpool(spoolAt(folder));
  const command = spool.askingCommandFor("asker", 'no: "it\'s" 100%');
  for (const [answer, printed] of [["yes\n", "yes\n"], ["", ""], [undefined, 'no: "it\'s" 100%']] as const) {
    const asking = run(command, "May I?");
    await until(() => spool.held("asker").length === 1);
    const [message] = spool.held("asker");
    assertEquals(message?.text, "May I?");
    message?.release(answer);
    assertEquals(await asking, [0, printed, ""]);
    assertEquals([...Deno.readDirSync(folder)], []);
  }
  await Deno.remove(folder, { recursive: true });
  assertEquals(await run(command, "May I?"), [0, 'no: "it\'s" 100%', ""]);
});

Deno.test("when the folder is gone, or cannot be written, the command still ends well and says nothing", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  await using spool = await openSpool(spoolAt(folder));
  const command = spool.commandFor("tester");
  await Deno.remove(folder, { recursive: true });
  assertEquals(await run(command, "x".repeat(200_000)), QUIET);
  assertEquals([await exists(folder), spool.take("tester")], [false, []]);
  await Deno.mkdir(folder);
  const nowhere = command.replace("cat >", "cat >/proc/nowhere/");
  assertEquals(await run(nowhere, "one"), QUIET);
  assertEquals(spool.take("tester"), []);
});

Deno.test("only the owner can reach a spool, and only files count", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  await using spool = await openSpool(spoolAt(folder));
  assertEquals(((await Deno.stat(folder)).mode ?? 0) & 0o777, 0o700);
  await dir.write({ "elsewhere": "a secret" });
  await Deno.symlink(`${dir.path}/elsewhere`, `${folder}/tester.1`);
  await Deno.mkdir(`${folder}/tester.2`);
  await Deno.writeTextFile(`${folder}/.tester.3`, "half of it");
  await Deno.writeTextFile(`${folder}/tester`, "no message");
  assertEquals(spool.take("tester"), []);
  assertEquals(await Deno.readTextFile(`${dir.path}/elsewhere`), "a secret");
  await run(spool.commandFor("analyst"), "one");
  const left = [...Deno.readDirSync(folder)].filter(({ name }) => name.startsWith("analyst."));
  assertEquals(left.map(({ name }) => (Deno.statSync(`${folder}/${name}`).mode ?? 0) & 0o777), [0o600]);
});

Deno.test("a sender that waits ends when its message is released, and when the folder is gone", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  await using spool = await openSpool(spoolAt(folder));
  for (const end of ["released", "gone"]) {
    let isOver = false;
    const sending = run(spool.waitingCommandFor("tester"), end).finally(() => isOver = true);
    const [message] = await until(() => spool.held("tester"), (messages) => messages.length > 0);
    assertEquals([message?.text, isOver], [end, false]);
    // It is there still: nobody has released it.
    assertEquals(spool.held("tester").length, 1);
    if (end === "released") message?.release();
    else await Deno.remove(folder, { recursive: true });
    assertEquals(await sending, QUIET);
  }
});

Deno.test("one that asks waits for so many looks only, and takes what it was given then", async () => {
  await using dir = await tempDir();
  await using spool = await openSpool(spoolAt(`${dir.path}/spool`));
  const command = spool.askingCommandFor("tester", "no");
  const impatient = command.replace(`-lt ${ASKING_LOOKS}`, "-lt 2");
  assert(impatient !== command);
  assertEquals(await run(impatient, "may I?"), [0, "no", ""]);
});

Deno.test("one that asks is ended by no signal that an end of the run sends: a CLI would take its death for a yes", async () => {
  await using dir = await tempDir();
  await using spool = await openSpool(spoolAt(`${dir.path}/spool`));
  const child = new Deno.Command("sh", {
    args: ["-c", `${spool.askingCommandFor("tester", "no")}`],
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode("may I?"));
  await writer.close();
  const [message] = await until(() => spool.held("tester"), (messages) => messages.length > 0);
  // The CLI's shell is the hook itself.
  for (const signal of ["SIGHUP", "SIGINT", "SIGTERM"] as const) child.kill(signal);
  message?.release("denied");
  const { code, signal, stdout } = await child.output();
  assertEquals([code, signal, new TextDecoder().decode(stdout)], [0, null, "denied"]);
});

Deno.test("what runs beside one that asks cannot give its answer, nor have another question answered for it", async () => {
  await using dir = await tempDir();
  const { folder, answers } = spoolAt(`${dir.path}/spool`);
  await using spool = await openSpool({ folder, answers });
  const ask = (text: string) => run(spool.askingCommandFor("tester", "no"), text);
  const heldOf = () => until(() => spool.held("tester"), (messages) => messages.length > 0);

  const forged = ask("rm -rf /");
  const { id } = (await heldOf())[0]!;
  for (const end of ["", ".asked"]) await Deno.writeTextFile(`${folder}/.answer.${id.split("/").at(-1)}${end}`, "yes");
  await Deno.remove(id);
  assertEquals(await forged, [0, "no", ""]);

  const exchanged = ask("rm -rf /");
  await Deno.writeTextFile((await heldOf())[0]!.id, "ls");
  spool.held("tester")[0]!.release("yes");
  assertEquals(await exchanged, [0, "no", ""]);

  const fair = ask("ls\n");
  (await heldOf())[0]!.release("yes");
  assertEquals(await fair, [0, "yes", ""]);
});

Deno.test("what was put in the place of an answer, or of a sign, is replaced and never followed", async () => {
  await using dir = await tempDir();
  await dir.write({ "precious.txt": "mine" });
  const { folder, answers } = spoolAt(`${dir.path}/spool`);
  await using spool = await openSpool({ folder, answers }, { beatMs: 10 });
  await Deno.symlink("../precious.txt", `${answers}/.beat`);
  const asking = run(spool.askingCommandFor("tester", "no", { isPatient: true }), "may I?");
  const [message] = await until(() => spool.held("tester"), (messages) => messages.length > 0);
  await until(async () => (await Deno.lstat(`${answers}/.beat`)).isFile);
  await Deno.symlink("../precious.txt", `${answers}/${message?.id.split("/").at(-1)}`);
  message?.release("yes");
  assertEquals(await asking, [0, "yes", ""]);
  assertEquals(await Deno.readTextFile(`${dir.path}/precious.txt`), "mine");
  // What cannot be replaced leaves nothing behind.
  await Deno.remove(`${answers}/.beat`);
  await Deno.mkdir(`${answers}/.beat`);
  const before = [...Deno.readDirSync(answers)].map(({ name }) => name).toSorted();
  spool.askingCommandFor("tester", "no", { isPatient: true });
  assertEquals([...Deno.readDirSync(answers)].map(({ name }) => name).toSorted(), before);
});

Deno.test("of the answers those are kept that somebody may still read", async () => {
  await using dir = await tempDir();
  const place = spoolAt(`${dir.path}/spool`);
  await using spool = await openSpool(place);
  // A process number comes once more: its answer is one of the newest then.
  for (const pid of [...Array.from({ length: 99 }, (_, index) => index + 1), 36, 100]) {
    await Deno.writeTextFile(`${place.folder}/tester.${pid}`, "may I?");
    spool.held("tester")[0]!.release("yes");
  }
  assertEquals([...Deno.readDirSync(place.answers)].length, 2 * 64);
  assertEquals(await exists(`${place.answers}/tester.36`), true);
  await Deno.writeTextFile(`${place.folder}/tester.100`, "may I?");
  spool.held("tester")[0]!.release();
  assertEquals(await exists(`${place.answers}/tester.100`), false);
});

Deno.test("one that is patient waits on while some process has the spool open, and ends once none has", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/spool`;
  const beat = () => Deno.readTextFile(`${spoolAt(folder).answers}/.beat`).catch(() => "");
  const open = () => openSpool(spoolAt(folder), { beatMs: 10 });
  const first = await open();
  // So few looks without a sign are too many, and all of them are short.
  const command = first.askingCommandFor("tester", "no", { isPatient: true });
  const asking = command.replaceAll(`$n -lt ${ASKING_LOOKS} `, "$n -lt 100000 ").replaceAll(/m=\d+/g, "m=30");
  assert(asking !== command);

  const answered = run(asking, "may I?");
  const [message] = await until(() => first.held("tester"), (messages) => messages.length > 0);
  message?.release("yes");
  assertEquals(await answered, [0, "yes", ""]);

  let isOver = false;
  const unanswered = run(asking, "may I?").finally(() => isOver = true);
  await until(() => first.held("tester").length > 0);
  // Another process takes its place.
  await first[Symbol.asyncDispose]();
  const second = await open();
  for (let beats = 0, before = await beat(); beats < 200; beats++) {
    before = await until(beat, (now) => now !== before);
  }
  assertEquals(isOver, false);
  await second[Symbol.asyncDispose]();
  assertEquals(await unanswered, [0, "no", ""]);
  // Nor does it begin to wait for one that is gone.
  assertEquals(await run(asking, "may I?"), [0, "no", ""]);
});
