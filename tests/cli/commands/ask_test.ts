import { assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { WAITING_LINE } from "../../../lib/agents/process/ask_ledger.ts";
import { followAsks } from "../../../lib/agents/process/ask_channel.ts";
import { writeLaunchers } from "../../../lib/agents/process/launchers.ts";
import { panewrightFromSource } from "../../support/panewright.ts";
import { runProgram, startProgram } from "../../support/program.ts";
import { until } from "../../support/until.ts";
import { tempDir } from "../../support/temp_dir.ts";

const panewright = await panewrightFromSource();

const base = { PATH: Deno.env.get("PATH") ?? "", ...panewright.env };

Deno.test("ask outside of a step says so and exits with 2", async () => {
  await using dir = await tempDir();
  const { code, stdout, stderr } = await runProgram([...panewright.argv, "ask", "Which?"], {
    cwd: dir.path,
    env: base,
    timeoutMs: 600_000,
  });
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, "Cannot ask a person: this is no step of a pipeline");
});

Deno.test("ask without a question exits with 2", async () => {
  await using dir = await tempDir();
  const env = { ...base, PANEWRIGHT_ASK_CHANNEL: `${dir.path}/asks` };
  const { code } = await runProgram([...panewright.argv, "ask", "--", " "], { cwd: dir.path, env, timeoutMs: 600_000 });
  assertEquals(code, 2);
  await assertRejects(() => Deno.stat(`${dir.path}/asks`), Deno.errors.NotFound);
});

for (const [signal, exitCode] of [["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`ask inside of a step records the question and waits until ${signal}`, async () => {
    await using dir = await tempDir();
    const env = { ...base, PANEWRIGHT_ASK_CHANNEL: `${dir.path}/asks`, PANEWRIGHT_ATTEMPT: "a1" };
    await using program = startProgram([...panewright.argv, "ask", "Which", "one, é?"], { cwd: dir.path, env });
    await until(() => program.output.stderr.includes(WAITING_LINE));
    const ended = new AbortController();
    ended.abort();
    const asks = await Array.fromAsync(followAsks(`${dir.path}/asks`, { attempt: "a1", signal: ended.signal }));
    assertEquals(asks, ["Which one, é?"]);
    assertEquals(
      await Array.fromAsync(followAsks(`${dir.path}/asks`, { attempt: "another", signal: ended.signal })),
      [],
    );
    program.kill(signal);
    assertEquals((await program.ended).code, exitCode);
  });
}

Deno.test("ask waits even where it can record nothing, as in a sandbox that only reads", async () => {
  await using dir = await tempDir();
  await dir.write({ "file": "" });
  const env = { ...base, PANEWRIGHT_ASK_CHANNEL: `${dir.path}/file/asks`, PANEWRIGHT_ATTEMPT: "a1" };
  await using program = startProgram([...panewright.argv, "ask", "Which?"], { cwd: dir.path, env });
  await until(() => program.output.stderr.includes(WAITING_LINE));
  program.kill("SIGINT");
  assertEquals((await program.ended).code, 130);
});

Deno.test("ask ends when the agent that waits for it is gone", async () => {
  await using dir = await tempDir();
  const env = { ...base, PANEWRIGHT_ASK_CHANNEL: `${dir.path}/asks`, PANEWRIGHT_ATTEMPT: "a1" };
  const command = [...panewright.argv, "ask", "Which?"].map((word) => `'${word}'`).join(" ");
  // The shell is told to end as soon as the question is there; what it has started lives on without it.
  const script =
    `${command} 2>${dir.path}/stderr & until grep -q waiting ${dir.path}/stderr; do sleep 0.05; done; echo $!`;
  const { stdout } = await runProgram(["sh", "-c", script], { cwd: dir.path, env, timeoutMs: 600_000 });
  const pid = Number(stdout.trim());
  const isAlive = async () =>
    (await runProgram(["sh", "-c", `kill -0 ${pid}`], { cwd: dir.path, env, timeoutMs: 600_000 })).code === 0;
  await until(isAlive, (alive) => !alive);
});

Deno.test("the launchers start panewright, under each of its names, and hand words on as they are", async () => {
  await using dir = await tempDir();
  const commands = [["panewright", "ask"], ["cat-herder", "ask"], ["herd", "please", "ask"]] as const;
  await dir.write({ "self.sh": `printf '<%s>' "$@"\n` });
  await writeLaunchers(`${dir.path}/it's a bin`, { commands, panewright: ["/bin/sh", `${dir.path}/self.sh`] });
  const run = async (program: string, ...args: string[]) =>
    await runProgram([`${dir.path}/it's a bin/${program}`, ...args], { cwd: "/", env: base, timeoutMs: 600_000 });
  assertEquals((await run("panewright", "ask", "a 'b' \"c\" $d", "--x")).stdout, `<ask><--><a 'b' "c" $d><--x>`);
  assertEquals((await run("panewright", "--version")).stdout, "<--version>");
  assertEquals((await run("cat-herder", "ask", "q")).stdout, "<ask><--><q>");
  assertEquals((await run("herd", "please", "ask", "q")).stdout, "<ask><--><q>");
  assertEquals((await run("herd", "ask", "q")).code, 2);
  assertEquals((await run("cat-herder", "run", "task.md")).code, 2);
});

Deno.test("the launchers' folder holds nothing else: no program of an agent comes before those of the system", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/bin`;
  await dir.write({ "bin/git": "evil", "bin/panewright": "evil", "bin/sub/ls": "evil" });
  await Deno.symlink("/bin/sh", `${folder}/cat-herder`);
  await writeLaunchers(folder, {
    commands: [["panewright", "ask"], ["cat-herder", "ask"]],
    panewright: ["/opt/panewright"],
  });
  assertEquals([...Deno.readDirSync(folder)].map(({ name, isFile }) => `${name} ${isFile}`).sort(), [
    "cat-herder true",
    "panewright true",
  ]);
  assertStringIncludes(await Deno.readTextFile(`${folder}/panewright`), "exec /opt/panewright ask --");
});

Deno.test("a launcher that has its text and not its mode, as in a copied folder, is repaired", async () => {
  await using dir = await tempDir();
  const folder = `${dir.path}/bin`;
  const options = { commands: [["panewright", "ask"]], panewright: ["/bin/echo"] } as const;
  for (const mode of [0o644, 0o777]) {
    await writeLaunchers(folder, options);
    await Deno.chmod(`${folder}/panewright`, mode);
    await writeLaunchers(folder, options);
    const now = (await Deno.stat(`${folder}/panewright`)).mode ?? 0;
    assertEquals(now & 0o122, 0o100);
  }
});
