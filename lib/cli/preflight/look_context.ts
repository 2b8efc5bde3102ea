import { type ProcessRunner, systemProcessRunner } from "../../base/ports/process.ts";
import type { CliIo } from "../console/command.ts";

export interface LookContext {
  readonly processRunner: ProcessRunner;
  readonly signal: AbortSignal;
  env(name: string): string | undefined;
}

export function lookContext({ env, signal }: Pick<CliIo, "env" | "signal">): LookContext {
  return { processRunner: systemProcessRunner, signal, env: (name) => env(name) };
}
