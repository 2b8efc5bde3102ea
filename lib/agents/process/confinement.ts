import { UsageError } from "../../base/errors.ts";
import { present } from "../../base/schema.ts";
import type { AgentEvent } from "../agent.ts";
import { type SandboxReport, writableFolders } from "../sandbox.ts";
import type { CliStart } from "./start.ts";

/** Whether a CLI is in the sandbox that it was asked for, by what its own log tells of each turn. */
export class Confinement {
  #report: SandboxReport = { turns: 0 };
  readonly #folders: readonly string[];

  private constructor(readonly start: CliStart) {
    const { sandbox, workdir, env } = start.launch;
    // A narrowed sandbox names this folder; another one only says that it counts.
    const tmpdir = sandbox?.within && (env?.["TMPDIR"] ?? Deno.env.get("TMPDIR"));
    const writable = [...sandbox?.writable ?? [], ...(tmpdir === undefined ? [] : [tmpdir])];
    this.#folders = writableFolders({ writable }, workdir);
  }

  /** `undefined` where no sandbox is wanted, or its CLI's log does not tell of it. */
  static of(start: CliStart): Confinement | undefined {
    const { launch: { sandbox }, provider: { headless } } = start;
    const isOwn = sandbox !== undefined && sandbox.around === undefined;
    return isOwn && headless.foldSandbox !== undefined ? new Confinement(start) : undefined;
  }

  /** Returns why it must not work on. */
  read(event: AgentEvent): UsageError | undefined {
    const { foldSandbox } = this.start.provider.headless;
    if (foldSandbox === undefined) return undefined;
    this.#report = foldSandbox(this.#report, event, this.#folders);
    const { problem } = this.#report;
    return problem === undefined ? undefined : this.#notInSandbox(problem);
  }

  /** Why nothing proves it; `undefined` where a turn was told of. */
  unproven(): UsageError | undefined {
    if (this.#report.turns > 0) return undefined;
    return this.#notInSandbox("its session log tells nothing of the turn");
  }

  #notInSandbox(problem: string): UsageError {
    const { name, provider: { label, sandbox }, worker } = this.start;
    const what = worker === "step" ? "run the step in a sandbox" : `leave ${name} at work`;
    const whose = worker === "step" ? "that" : "the sandbox";
    return new UsageError(`Cannot ${what}: ${whose} of ${label} is not on: ${problem}`, {
      ...present({ hint: sandbox?.remedy }),
    });
  }
}
