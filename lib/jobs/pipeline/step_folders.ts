import type { ExecTarget } from "../../journal/exec/fields.ts";

interface AttemptPlace {
  readonly target: Pick<ExecTarget, "kind">;
  readonly task: number;
  readonly step: number;
  readonly name: string;
  readonly round: number;
  readonly attempt: number;
}

/** The folder of an attempt, relative to the run's folder of steps. */
export function attemptFolder(place: AttemptPlace): string {
  return `${stepFolder(place)}/attempt-${place.attempt}`;
}

/** The folder of a step's round, relative to the run's folder of steps. */
export function stepFolder({ target, task, step, name, round }: Omit<AttemptPlace, "attempt">): string {
  const plain = name.replaceAll(/[^A-Za-z0-9._-]+/g, "-").replaceAll(/^[-.]+|[-.]+$/g, "").slice(0, 40);
  const own = [String(step).padStart(2, "0"), ...(plain === "" ? [] : [plain])].join("-") +
    (round === 1 ? "" : `.round-${round}`);
  return target.kind === "folder" ? `task-${String(task).padStart(3, "0")}/${own}` : own;
}
