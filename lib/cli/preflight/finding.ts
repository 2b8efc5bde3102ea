import { HumanInterventionRequiredError, type PanewrightError, UsageError } from "../../base/errors.ts";
import type { Provider } from "../../agents/provider.ts";

export interface Finding {
  readonly check: string;
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it, as full sentences; present unless the status is `ok`. */
  readonly remedy?: string;
}

export interface Obstacle extends Finding {
  readonly needsPerson?: boolean;
  readonly isOfMachine?: boolean;
}

/** The error for what is in the way of a run, all of it at once; `undefined` where nothing is. */
export function refusal(what: string, found: readonly Obstacle[]): PanewrightError | undefined {
  const failed = found.filter(({ status }) => status === "fail");
  if (failed.length === 0) return undefined;
  const lines = failed.flatMap(({ check, detail, remedy }) => [
    `  ${check}: ${detail}`,
    ...(remedy === undefined ? [] : remedy.split("\n").map((line) => `    ${line}`)),
  ]);
  const count = failed.length === 1 ? "1 problem" : `${failed.length} problems`;
  const message = [`Cannot ${what}: ${count}`, ...lines].join("\n");
  return failed.every(({ needsPerson }) => needsPerson === true)
    ? new HumanInterventionRequiredError(message)
    : new UsageError(message);
}

/** What is found of several: of those that are the same one is looked at, and what was found of several is told once. */
export async function lookAtEach<Of>(
  all: readonly Of[],
  { same, look }: { readonly same: (of: Of) => unknown; readonly look: (of: Of) => Promise<readonly Obstacle[]> },
): Promise<readonly Obstacle[]> {
  const found = await Promise.all(differentOf(all, same).map(look));
  return differentOf(found.flat(), (each) => each);
}

function differentOf<Of>(all: readonly Of[], keyOf: (of: Of) => unknown): readonly Of[] {
  return [...new Map(all.map((each) => [JSON.stringify(keyOf(each)), each])).values()];
}

/** What was found of several roles or steps is told once, with those that it is about, unless these are all. */
export function joinWorkers(
  found: readonly { readonly worker: string; readonly found: Obstacle | undefined }[],
): readonly Obstacle[] {
  const groups = Map.groupBy(found, (each) => JSON.stringify(each.found));
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    if (first?.found === undefined) return [];
    if (group.length === found.length) return [first.found];
    const workers = group.map(({ worker }) => worker).join(", ");
    return [{ ...first.found, check: `${first.found.check}, the agent of ${workers}` }];
  });
}

/** An agent's program that is not there: the CLI's own, or what the configuration names in its place. */
export function missingProgram(
  { label: check, cli }: Pick<Provider, "label" | "cli">,
  { command, problem: detail }: { readonly command: readonly string[] | undefined; readonly problem: string },
): Obstacle {
  return command === undefined
    ? { check, status: "fail", detail, remedy: cli?.installHint ?? "", isOfMachine: true }
    : { check, status: "fail", detail, remedy: "Correct the command of the configuration, or install the program." };
}
