import { systemHost } from "../ports/host.ts";
import { makeOwnFolder, stateFolder } from "../ports/state_folder.ts";
import type { Provider } from "../providers/provider.ts";
import type { SandboxSupport } from "../providers/sandbox.ts";
import { errorText } from "../text/error_text.ts";
import type { DoctorContext, Finding } from "./doctor_checks.ts";

/**
 * Whether the sandbox that an agent's CLI brings can be switched on here, tried in a folder of its own: no settings of
 * a project count, and no program that a configuration names is run.
 *
 * @param options `needed` when the configuration asks for it
 */
export async function checkSandbox(
  { label, sandbox }: Provider,
  { processRunner, signal }: DoctorContext,
  { needed }: { readonly needed: boolean },
): Promise<Finding> {
  const check = `sandbox of ${label}`;
  if (sandbox === undefined) return { check, status: "ok", detail: "the CLI brings none" };
  const problem = await findProblem(sandbox, { processRunner, signal }).catch((error) => {
    signal.throwIfAborted();
    return errorText(error);
  });
  return problem === undefined ? { check, status: "ok", detail: 'it can be switched on with "sandbox": "cli"' } : {
    check,
    status: needed ? "fail" : "warn",
    detail: `it cannot be switched on: ${problem}`,
    remedy: sandbox.remedy,
  };
}

async function findProblem(
  support: SandboxSupport,
  context: Pick<DoctorContext, "processRunner" | "signal">,
): Promise<string | undefined> {
  const state = stateFolder();
  if (state === undefined) return "neither HOME nor XDG_STATE_HOME names a folder to try it in";
  const workdir = `${state}/doctor-${crypto.randomUUID()}`;
  makeOwnFolder(workdir);
  try {
    return await support.findProblem({ sandbox: { writable: [] }, workdir, host: systemHost(), ...context });
  } finally {
    await Deno.remove(workdir, { recursive: true });
  }
}
