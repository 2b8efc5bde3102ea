import { UsageError } from "../base/errors.ts";
import type { AnyFact } from "../journal/job.ts";
import { resolve } from "@std/path/posix";
import { sanitizeLine } from "../base/text/sanitize.ts";
import {
  type Contract,
  contractChanges,
  type ContractFile,
  describeChanges,
  keepContract,
  readBound,
  readContract,
  shortDiff,
} from "./contract.ts";
import type { Execution, RunOptions } from "./execution.ts";
import type { BoundRun } from "./plan.ts";
import type { RunFolder } from "./run_folder.ts";

/** Keeps what a run is bound to, and says so in the record that it begins or continues with. */
export async function contractField(folder: RunFolder, contract: Contract | undefined) {
  return contract === undefined ? {} : { contract: await keepContract(folder, contract) };
}

interface JudgedContract {
  readonly contract: Contract | undefined;
  readonly accepted?: { readonly files: readonly string[]; readonly diff: string };
  readonly warnings: readonly string[];
}

/**
 * What a run that is resumed is bound to: what it began with, unless a person accepts what is there now.
 *
 * @throws {UsageError} when nobody accepts it
 */
export async function judgeContract<Fact extends AnyFact>(
  { plan: { contract: now } }: Pick<Execution<Fact, never>, "plan">,
  { folder, facts, isProven }: {
    readonly folder: RunFolder;
    readonly facts: readonly Fact[];
    readonly isProven: boolean;
  },
  { acceptChanges }: Pick<RunOptions<Fact>, "acceptChanges">,
): Promise<JudgedContract> {
  const hash = facts.findLast((fact) => "contract" in fact);
  const kept = await readContract(folder, hash && "contract" in hash ? String(hash.contract) : undefined);
  if (now === undefined) return { contract: kept?.contract, warnings: [] };
  const changes = kept === undefined ? [] : contractChanges(kept.contract, now);
  if (changes.length > 0) {
    if (acceptChanges === undefined) {
      throw new UsageError(
        `Cannot resume run ${folder.id}: it is not what it began with\n${describeChanges(changes)}`,
      );
    }
    await acceptChanges(changes);
  }
  const warnings = kept?.isProven === true && isProven ? [] : [NO_CONTRACT];
  if (changes.length === 0) return { contract: kept?.contract ?? now, warnings };
  const files = changes.map(({ path }) => path);
  return {
    contract: now,
    accepted: { files, diff: describeChanges(changes) },
    warnings: [...warnings, `a person accepted what is not as it was when the run began: ${files.join(", ")}`],
  };
}

const NO_CONTRACT =
  "the state folder does not say what this run was bound to when it began: it goes by the configuration of now, as it " +
  "is trusted, and is bound to that from now on";

export function bindRun(
  contract: Contract,
  { workdir, warn }: { readonly workdir: string; readonly warn: (message: string) => void },
): BoundRun {
  const told = new Map<string, string | null>();
  return {
    contract,
    tellChanges() {
      for (const [path, { kind, text }] of Object.entries(contract)) {
        const now = readBound(resolve(workdir, path), kind) ?? null;
        if (now === (told.has(path) ? told.get(path) : text)) continue;
        told.set(path, now);
        const name = sanitizeLine(path);
        const what = now === null ? "removed" : "changed";
        if (now === text) warn(`${name} is again what it was when the run began`);
        else warn(`${name} was ${what} after the run began: ${CONSEQUENCES[kind]}${shownPart(kind, { text, now })}`);
      }
    },
  };
}

const CONSEQUENCES: Readonly<Record<ContractFile["kind"], string>> = {
  config: "this run goes by what it was then",
  script: "what it was then is run",
  project: "a command of the run uses what it says now",
};

/** What is run although it was changed is shown. */
function shownPart(
  kind: ContractFile["kind"],
  { text, now }: { readonly text: string | null; readonly now: string | null },
) {
  if (kind !== "project") return "";
  return shortDiff(text ?? "", now ?? "").slice(0, MAX_SHOWN_ROWS).map((row) => `\n${sanitizeLine(row)}`).join("");
}

const MAX_SHOWN_ROWS = 30;
