import { assertEquals, assertStringIncludes } from "@std/assert";
import { panewrightFromSource } from "../support/panewright.ts";
import { type ProgramResult, runProgram } from "../support/program.ts";
import { acpExecProject } from "./commands/acp_exec_project.ts";

const TELLS = "panewright: Cannot write to standard output: No space left on device";
const options = { ignore: Deno.build.os !== "linux" };

/** Runs panewright with a standard output on a full disk. */
async function runFull(
  args: readonly string[],
  around: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<ProgramResult> {
  const { argv, env } = await panewrightFromSource();
  const program = ["sh", "-c", 'exec "$@" > /dev/full', "sh", ...argv, ...args] as const;
  return await runProgram(program, { cwd: around.cwd, env: { ...around.env, ...env }, timeoutMs: 600_000 });
}

Deno.test(
  "a pipeline that cannot tell on standard output what it does fails, and is stopped as by a person",
  options,
  async () => {
    await using project = await acpExecProject();
    const { path: cwd, sandbox: { env } } = project;
    await project.script({ turns: [{ steps: [{ say: "Done." }] }] });
    const { code, stderr } = await runFull(["exec", "task.md", "--json", "--trust"], { cwd, env });
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, TELLS);
    const { stdout } = await project.call("status");
    assertStringIncludes(stdout, "(exec): stopped");
  },
);

Deno.test("a command whose output is lost does not end with 0, also with --json", options, async () => {
  await using project = await acpExecProject();
  const { path: cwd, sandbox: { env } } = project;
  for (const args of [["agents"], ["agents", "--json"], ["validate", "--json"]]) {
    const { code, stderr } = await runFull(args, { cwd, env });
    assertEquals([code, stderr.includes(TELLS)], [1, true], `${args.join(" ")}: ${stderr}`);
  }
});
