import { RuntimeError } from "../../base/errors.ts";
import { type CommandSpec, systemProcessRunner } from "../../base/ports/process.ts";
import { lastLines } from "../../base/text/lines.ts";

/** What a signature is for: `ssh-keygen -Y sign -n panewright-evidence`. */
export const NAMESPACE = "panewright-evidence";

/**
 * Signs a file with a key of ssh-keygen: the signature is beside it, with `.sig` behind its name.
 *
 * @throws {RuntimeError} where it cannot be signed
 */
export async function signFile(
  path: string,
  { key, ...spec }: { readonly key: string } & Pick<CommandSpec, "env" | "signal" | "timeoutMs">,
): Promise<void> {
  const argv = ["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", NAMESPACE, path] as const;
  const { code, stderr } = await systemProcessRunner.run({ argv: [...argv], ...spec }).catch((error) => {
    if (error instanceof Deno.errors.NotFound) return { code: 127, stderr: "ssh-keygen is not there" };
    throw error;
  });
  if (code !== 0) {
    throw new RuntimeError(`Cannot sign ${path} with ${key}: ${lastLines(stderr, 1)[0] ?? `code ${code}`}`);
  }
}
