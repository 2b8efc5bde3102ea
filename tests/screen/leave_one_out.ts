// deno-lint-ignore-file no-console -- a script for people
/**
 * What the rules would have got wrong on a CLI version that nobody had recorded:
 *
 *     deno run -R tests/screen/leave_one_out.ts [DIR]
 *
 * For each of the three newest versions of a provider, everything is taken out of the rules that the recordings of the
 * other versions give no reason for, and the recordings of that version are told with what is left. DIR is the folder
 * that has a folder per provider (fixtures/screens).
 *
 * What is taken out, in two steps:
 *
 * 1. rules that decide on recordings of that version alone;
 * 2. what of the patterns, of layout and rules, changes nothing on any recording of the other versions: each
 * alternative
 * of an alternation, each character of a class, each optional part (left out for good, else needed for good), and each
 *    colour of a list.
 *
 * The second step takes out more than its author would have: what nobody recorded, but anybody would write, goes as
 * well.
 */
import { compareVersions } from "../../lib/base/text/order.ts";
import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, parseScreen, type RulePack, type Screen } from "../../lib/screen/mod.ts";
import { type Proof, readProofs } from "../support/proofs.ts";
import { specializations } from "./specializations.ts";

/** A recorded screen with its truth, read once. */
interface Sample {
  readonly screen: Screen;
  readonly expect: string;
  readonly name: string;
}

function toSample({ name, expect = "unknown", ...recording }: Recording): Sample {
  return { name, expect, screen: parseScreen(recording.ansi, recording) };
}

/** What matters of how a pack tells a screen: status and rule. */
function told(pack: RulePack, { screen }: Sample): string {
  const { status, rule } = classify(screen, pack);
  return `${status} ${rule}`;
}

interface Samples {
  readonly inside: readonly Sample[];
  readonly others: readonly Sample[];
}

/**
 * What of a pack changes nothing on the others is taken out of it, as long as there is something: first what the
 * samples inside rest on, and then the rest, by which they may be told as well.
 */
function specialize(
  pack: RulePack,
  { inside, others }: Samples,
): { readonly pack: RulePack; readonly taken: number } {
  const before = others.map((sample) => told(pack, sample));
  const isSame = (changed: RulePack) => others.every((sample, index) => told(changed, sample) === before[index]);
  let current = pack;
  let taken = 0;
  const sweep = (wanted: (changed: RulePack) => boolean) => {
    const takenBefore = taken;
    for (let index = 0;;) {
      const changed = specializations(current).drop(index).next().value;
      if (changed === undefined) return taken > takenBefore;
      if (wanted(changed) && isSame(changed)) {
        current = changed;
        taken++;
      } else index++;
    }
  };
  for (;;) {
    const found = sweep((changed) => inside.some((sample) => told(changed, sample) !== told(current, sample)));
    if (!sweep(() => true) && !found) return { pack: current, taken };
  }
}

/** How a pack does on samples. */
export interface Score {
  readonly total: number;
  readonly wrong: readonly string[];
  readonly unknown: readonly string[];
}

function score(pack: RulePack, samples: readonly Sample[]): Score {
  const misses = samples.flatMap((sample) => {
    const { status, rule } = classify(sample.screen, pack);
    return status === sample.expect
      ? []
      : [{ status, text: `${sample.name}: ${sample.expect}, got ${status} by ${rule}` }];
  });
  return {
    total: samples.length,
    wrong: misses.filter(({ status }) => status !== "unknown").map(({ text }) => text),
    unknown: misses.filter(({ status }) => status === "unknown").map(({ text }) => text),
  };
}

/** What one version would have been told as, had it not been recorded. */
export interface LeftOut {
  readonly version: string;
  /** Without the rules that decide on its recordings alone. */
  readonly withoutRules: Score;
  /** Without the parts of patterns, too, that nothing else needs. */
  readonly withoutParts: Score;
  readonly rulesTaken: readonly string[];
  readonly partsTaken: number;
}

/** Leaves the newest versions out, one after the other. */
export function leaveOneOut(
  pack: RulePack,
  recordings: readonly Recording[],
  { newest = 3, proofs }: {
    readonly newest?: number;
    readonly proofs: Readonly<Record<string, Pick<Proof, "versions">>>;
  },
): readonly LeftOut[] {
  const counted = recordings.filter(({ alone, expect }) => alone !== false && expect !== undefined);
  const versions = [...new Set(counted.map(({ version }) => version ?? ""))].toSorted(compareVersions);
  return versions.slice(-newest).map((version) => {
    const inside = counted.filter((recording) => recording.version === version).map(toSample);
    const others = counted.filter((recording) => recording.version !== version).map(toSample);
    const rulesTaken = pack.rules.filter(({ id }) => proofs[id]?.versions.join() === version);
    const smaller = { ...pack, rules: pack.rules.filter((rule) => !rulesTaken.includes(rule)) };
    const special = specialize(smaller, { inside, others });
    return {
      version,
      withoutRules: score(smaller, inside),
      withoutParts: score(special.pack, inside),
      rulesTaken: rulesTaken.map(({ id }) => id),
      partsTaken: special.taken,
    };
  });
}

if (import.meta.main) {
  const [folder = "fixtures/screens"] = Deno.args;
  for (const pack of [CODEX_RULES, CLAUDE_CODE_RULES]) {
    const recordings = (await Array.fromAsync(readCorpus(`${folder}/${pack.provider}`))).map(({ recording }) =>
      recording
    );
    for (const left of leaveOneOut(pack, recordings, { proofs: readProofs(pack.provider) })) {
      const { version, withoutRules, withoutParts, rulesTaken, partsTaken } = left;
      const line = ({ total, wrong, unknown }: Score) =>
        `${total - wrong.length - unknown.length} of ${total} right, ${wrong.length} wrong, ${unknown.length} unknown`;
      console.log(`${pack.provider} ${version} left out`);
      console.log(`  without ${rulesTaken.length} rules (${rulesTaken.join(", ")}): ${line(withoutRules)}`);
      console.log(`  without ${partsTaken} parts of patterns as well: ${line(withoutParts)}`);
      for (const miss of [...withoutParts.wrong, ...withoutParts.unknown]) console.log(`    ${miss}`);
    }
  }
}
