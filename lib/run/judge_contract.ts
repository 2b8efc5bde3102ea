import { UsageError } from "../base/errors.ts";
import { present } from "../base/schema.ts";
import type { AnyFact } from "../journal/job.ts";
import { type Contract, contractChanges, describeChanges, keepContract, readContract } from "./contract.ts";
import type { Execution, RunOptions } from "./execution.ts";
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
