import type { ProgramPlace } from "../../run/programs.ts";
import type { ProcessRunner } from "../../base/ports/process.ts";

export interface LookContext {
  readonly processRunner: ProcessRunner;
  readonly signal: AbortSignal;
  env(name: string): string | undefined;
}

/** Where programs are found from a folder, by the PATH of an agent's own variables, or else ours. */
export function placeIn(
  folder: string,
  { env }: Pick<LookContext, "env">,
  own: Readonly<Record<string, string>> = {},
): ProgramPlace {
  return { folder, searchPath: own["PATH"] ?? env("PATH") ?? "" };
}

export function once<Value>(look: () => Value): () => Value {
  let found: { readonly value: Value } | undefined;
  return () => (found ??= { value: look() }).value;
}
