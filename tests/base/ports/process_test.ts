import { assert, assertEquals, assertRejects } from "@std/assert";
import { systemProcessRunner as runner } from "../../../lib/base/ports/process.ts";
import { findProcess, listProcesses, processTree } from "../../../lib/base/ports/process_table.ts";
import { tempDir } from "../../support/temp_dir.ts";
import { processesWith } from "../../agents/process/support.ts";

Deno.test("a program's code, output and error output come back", async () => {
  const result = await runner.run({ argv: ["sh", "-c", "echo out; echo err >&2; exit 7"] });
  assertEquals(result, { code: 7, stdout: "out\n", stderr: "err\n", timedOut: false, truncated: false });
});

Deno.test("arguments reach the program as they are, never through a shell", async () => {
  const { stdout } = await runner.run({ argv: ["printf", "%s\n", "$(id); `id`", "a b", ""] });
  assertEquals(stdout, "$(id); `id`\na b\n\n");
});

Deno.test("standard input is passed and closed; a program that does not read it does no harm", async () => {
  assertEquals((await runner.run({ argv: ["cat"], stdin: "text äö" })).stdout, "text äö");
  assertEquals((await runner.run({ argv: ["true"], stdin: "x".repeat(1_000_000) })).code, 0);
});

Deno.test("only the tail of a long output is kept, cut at a character", async () => {
  const result = await runner.run({ argv: ["sh", "-c", "yes ä | head -c 300000"], maxOutputBytes: 1000 });
  assert(result.truncated);
  assert(new TextEncoder().encode(result.stdout).length <= 1000);
  assert(!result.stdout.startsWith("\ufffd"));
});

Deno.test("a time limit ends the program and its children", async () => {
  const seconds = `61.${crypto.getRandomValues(new Uint32Array(1))[0]}`;
  const result = await runner.run({ argv: ["sh", "-c", `sleep ${seconds} & wait`], timeoutMs: 300 });
  assertEquals([result.code, result.timedOut], [124, true]);
  assertEquals(await processesWith(seconds), []);
});

Deno.test("an abort ends the program and rejects with the signal's reason", async () => {
  const controller = new AbortController();
  const running = runner.run({ argv: ["sleep", "61.25"], signal: controller.signal });
  setTimeout(() => controller.abort(new Error("stop")), 50);
  await assertRejects(() => running, Error, "stop");
});

Deno.test("a program leads a group of its own, and is ended also in the moment in which it does not yet", async () => {
  const { stdout } = await runner.run({ argv: ["sh", "-c", 'ps -o pid=,pgid=,sid= -p "$$"'] });
  const ids = stdout.trim().split(/\s+/).map(Number);
  assertEquals(ids, Array.from({ length: 3 }, () => ids[0]));
  for (let steps = 0; steps < 20; steps++) {
    const controller = new AbortController();
    const seconds = `61.${crypto.getRandomValues(new Uint32Array(1))[0]}`;
    const running = runner.run({ argv: ["sleep", seconds], signal: controller.signal });
    for (let step = 0; step < steps; step++) await Promise.resolve();
    controller.abort(new Error("stop"));
    await assertRejects(() => running, Error, "stop");
    assertEquals(await processesWith(seconds), []);
  }
});

Deno.test("which program is run, PATH says, that of the program itself where it has one; no folder is passed over", async () => {
  await using dir = await tempDir();
  const [one, other] = [`${dir.path}/one`, `${dir.path}/other`];
  const script = (says: string) => `#!/bin/sh\necho ${says}\n`;
  await dir.write({
    "one/said": script("one"),
    "other/said": script("other"),
    "one/held": "no program",
    "one/led": "#!/nowhere/sh\n",
  });
  for (const file of [`${one}/said`, `${one}/led`, `${other}/said`]) await Deno.chmod(file, 0o755);
  const said = async (path: string, cwd = "/") => {
    const spec = { argv: ["said"], env: { PATH: path }, clearEnv: true, cwd } as const;
    return (await runner.run(spec)).stdout;
  };
  assertEquals([await said(`${one}:${other}`), await said(`/nowhere:${other}:${one}`)], ["one\n", "other\n"]);
  await assertRejects(() => said("/nowhere"), Deno.errors.NotFound);
  await assertRejects(() => runner.run({ argv: [`${one}/held`] }), Deno.errors.PermissionDenied);
  await assertRejects(() => runner.run({ argv: [`${one}/led`] }), Deno.errors.NotFound);
  // A script in front of a program is what is run.
  await dir.write({ "one/true": script("not the one") });
  await Deno.chmod(`${one}/true`, 0o755);
  const shadowed = { argv: ["true"], env: { PATH: `${one}:/usr/bin:/bin` }, clearEnv: true } as const;
  assertEquals((await runner.run(shadowed)).stdout, "not the one\n");
  assertEquals((await runner.run({ argv: ["./said"], cwd: other })).stdout, "other\n");
});

Deno.test("a child that keeps the output open does not keep its ended parent's result back", async () => {
  // Ten hours: a result that were kept back would not come.
  const result = await runner.run({ argv: ["sh", "-c", "sleep 36000 & echo started"] });
  assertEquals([result.code, result.stdout, result.timedOut], [0, "started\n", false]);
});

Deno.test("a program that is not there is an error of its own", async () => {
  await assertRejects(() => runner.run({ argv: ["panewright-no-such-program"] }), Deno.errors.NotFound);
});

Deno.test("the process table holds this process below its parent, with a start time", async () => {
  const self = await findProcess(Deno.pid);
  assertEquals(self?.pid, Deno.pid);
  assert(self!.startTime !== "");
  const tree = processTree(await listProcesses(), Deno.ppid);
  assert(tree.some((one) => one.pid === Deno.pid));
});
