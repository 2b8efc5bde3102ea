import type { CommandSpec, ProcessRunner } from "../../../base/ports/process.ts";
import { lastLines } from "../../../base/text/lines.ts";

/** @throws when the program cannot be started, takes too long, or ends with another exit code than 0 */
export async function runToSuccess(spec: CommandSpec, runner: ProcessRunner): Promise<void> {
  const [program] = spec.argv;
  const { code, stderr, timedOut } = await runner.run(spec).catch((error) => {
    throw error instanceof Deno.errors.NotFound ? new Error(`there is no program ${program}`) : error;
  });
  if (code === 0) return;
  if (timedOut) throw new Error(`${program} took longer than ${(spec.timeoutMs ?? 0) / 1000} s`);
  const [said = ""] = lastLines(stderr, 1);
  throw new Error(`${program} ended with exit code ${code}${said === "" ? "" : `: ${said.slice(0, 200)}`}`);
}
