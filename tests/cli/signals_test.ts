import { assertEquals } from "@std/assert";
import { cleanEnvironment, panewrightArgv } from "../support/run_panewright.ts";
import { until } from "../support/until.ts";
import { type TempDir, tempDir } from "../support/temp_dir.ts";

/** Starts `panewright doctor` with programs that write their process id to `pid` and then take an hour. */
async function startWaiting(dir: TempDir, slowProgram: "codex" | "tmux") {
  const slow = `#!/bin/sh\necho $$ > ${dir.path}/pid\nexec /bin/sleep 3000\n`;
  const programs = { tmux: '#!/bin/sh\necho "tmux 3.4"\n', codex: "#!/bin/sh\n", [slowProgram]: slow };
  for (const [name, script] of Object.entries(programs)) {
    await Deno.mkdir(`${dir.path}/bin`, { recursive: true });
    await Deno.writeTextFile(`${dir.path}/bin/${name}`, script, { mode: 0o755 });
  }
  const [program, ...args] = panewrightArgv([
    "--allow-env",
    "--allow-read",
    "--allow-run",
    `--allow-write=${dir.path}`,
  ]);
  const child = new Deno.Command(program, {
    args: [...args, "doctor"],
    cwd: dir.path,
    clearEnv: true,
    env: cleanEnvironment({ PATH: `${dir.path}/bin` }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  return { child, pid: await pidOf(`${dir.path}/pid`) };
}

async function pidOf(file: string): Promise<number> {
  return Number(await until(() => Deno.readTextFile(file).catch(() => ""), (text) => text.endsWith("\n")));
}

/** SIGCONT does nothing to a process that runs; there is no signal to one that does not. */
function isRunning(pid: number): boolean {
  try {
    Deno.kill(pid, "SIGCONT");
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]] as const) {
  Deno.test(`${signal} ends a command with exit code ${code}, and what it started`, async () => {
    await using dir = await tempDir();
    const { child, pid } = await startWaiting(dir, "codex");
    child.kill(signal);
    const output = await child.output();
    assertEquals(new TextDecoder().decode(output.stderr), `panewright: interrupted by ${signal}\n`);
    assertEquals(output.code, code);
    assertEquals(isRunning(pid), false);
  });
}

Deno.test("a second Ctrl-C ends a command that does not come to its end", async () => {
  await using dir = await tempDir();
  const { child, pid } = await startWaiting(dir, "tmux");
  try {
    const output = child.output();
    let hasEnded = false;
    void output.then(() => hasEnded = true);
    // Two that are pending at the same time are one to the system, so the key is pressed until it was taken twice.
    await until(() => {
      if (!hasEnded && isRunning(child.pid)) Deno.kill(child.pid, "SIGINT");
      return hasEnded;
    });
    assertEquals((await output).code, 130);
    assertEquals(isRunning(pid), true, "the program was left while the other one still ran");
  } finally {
    if (isRunning(pid)) Deno.kill(pid, "SIGKILL");
  }
});

Deno.test("a reader of stdout that goes away ends the program without a word", async () => {
  await using dir = await tempDir();
  const [program, ...args] = panewrightArgv([
    "--allow-env",
    "--allow-read",
    "--allow-run",
    `--allow-write=${dir.path}`,
  ]);
  const child = new Deno.Command(program, {
    args: [...args, "config", "schema"],
    cwd: dir.path,
    clearEnv: true,
    env: cleanEnvironment(),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  await child.stdout.cancel();
  const stderr = await new Response(child.stderr).text();
  assertEquals({ code: (await child.status).code, stderr }, { code: 0, stderr: "" });
});

Deno.test("SIGTERM ends a command that reads a pipe to which nobody writes", async () => {
  await using dir = await tempDir();
  await dir.write({ "shown.txt": "a screen\n" });
  await new Deno.Command("mkfifo", { args: [`${dir.path}/pipe`] }).output();
  const [program, ...args] = panewrightArgv(["--allow-env", "--allow-read"]);
  const child = new Deno.Command(program, {
    args: [...args, "explain", "--provider", "codex", "shown.txt", "pipe"],
    cwd: dir.path,
    clearEnv: true,
    env: cleanEnvironment({}),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  // Once the first file is told of, the pipe is next.
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGTERM");
  reader.releaseLock();
  const { code, stderr } = await child.output();
  assertEquals([code, new TextDecoder().decode(stderr)], [143, "panewright: interrupted by SIGTERM\n"]);
});
