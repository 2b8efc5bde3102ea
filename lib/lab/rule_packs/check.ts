import { dialogKindsOf } from "../../agents/mod.ts";
import type { Provider } from "../../agents/provider.ts";
import { checkRecording, type Outcome, summarize } from "../recordings/check.ts";
import type { Recording } from "../recordings/recording.ts";
import { choicesOf } from "../../screen/pattern_cost.ts";
import type { RulePack } from "../../screen/rules.ts";
import {
  COMMON_RULE_IDS,
  type ConditionData,
  createRulePack,
  patternsOf,
  type ScreenData,
} from "../../screen/screen_data.ts";
import { isObject } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import type { Envelope } from "./envelope.ts";
import { readGuardRecordings } from "./guard_recordings.ts";
import { parsePayload, parseRecordings, type RulesPayload } from "./payload.ts";

const MAX_RULES = 400;

/**
 * How many choices all patterns of a pack together may leave a matcher: three times what the built-in ones for Codex
 * do, which leave the most.
 */
const MAX_TOTAL_CHOICES = 10_000_000;

const MAX_SHOWN_MISTAKES = 5;

export interface CheckedPayload {
  readonly payload: RulesPayload;
  readonly pack: RulePack;
}

export async function checkPayload(
  { payload: bytes, recordings = "" }: Pick<Envelope, "payload" | "recordings">,
  { providers }: { readonly providers: readonly Provider[] },
): Promise<CheckedPayload> {
  const payload = parsePayload(bytes);
  const { provider, screen } = payload;
  const replaceable = providers.filter(({ terminal }) => terminal?.screen !== undefined);
  if (!replaceable.some(({ id }) => id === provider)) {
    const ids = replaceable.map(({ id }) => id).join(", ");
    throw new Error(`it is for the provider "${provider}", but packs can be for ${ids}`);
  }
  requireNames(screen, dialogKindsOf(providers));
  requireCost(screen);
  const pack = createRulePack(provider, screen);
  if (await sha256Hex(recordings) !== payload.recordings_sha256) {
    throw new Error("its recordings are not those that were signed");
  }
  requireRecordings(parseRecordings(recordings), pack, { whose: "its own recordings", complete: true });
  const guards = await readGuardRecordings(provider);
  requireRecordings(guards, pack, { whose: "the recordings that panewright brings", complete: false });
  return { payload, pack };
}

function requireNames({ rules, layout }: ScreenData, kinds: readonly string[]): void {
  if (rules.length > MAX_RULES) throw new Error(`it has ${rules.length} rules, and may have ${MAX_RULES}`);
  const ids = new Set<string>();
  const known = new Set([...rules.map(({ id }) => id), ...COMMON_RULE_IDS]);
  for (const rule of rules) {
    const { id, remove, replace, also = [], excludes = [], doubtful } = rule;
    if (ids.has(id) || COMMON_RULE_IDS.includes(id)) throw new Error(`there are two rules "${id}"`);
    ids.add(id);
    if (remove === true || replace === true) {
      throw new Error(`its rule "${id}" changes another one, but a pack has the whole rules of a provider`);
    }
    const seen = doubtful?.unless_seen;
    if (seen !== undefined && !known.has(seen)) throw new Error(`its rule "${id}" names no rule of it: "${seen}"`);
    const conditions: readonly ConditionData[] = [rule, ...also, ...excludes];
    requireKinds(conditions.flatMap(({ dialog = [] }) => dialog), kinds);
  }
  requireKinds(kindsOf(layout), kinds);
}

function requireKinds(named: readonly string[], kinds: readonly string[]): void {
  const unknown = named.find((kind) => !kinds.includes(kind));
  if (unknown === undefined) return;
  throw new Error(`it names a dialog "${unknown}", but this panewright knows ${kinds.join(", ")}`);
}

function kindsOf({ dialog }: ScreenData["layout"]): readonly string[] {
  const kinds = isObject(dialog) && Array.isArray(dialog["kinds"]) ? dialog["kinds"] as readonly unknown[] : [];
  return kinds.flatMap((each) => isObject(each) && typeof each["kind"] === "string" ? [each["kind"]] : []);
}

function requireCost(screen: ScreenData): void {
  const choices = patternsOf(screen).reduce((sum, pattern) => sum + choicesOf(pattern), 0);
  if (choices <= MAX_TOTAL_CHOICES) return;
  throw new Error(
    `its patterns together could take very long on some texts: they leave ${
      choices.toExponential(1)
    } choices, and may ` +
      `leave ${MAX_TOTAL_CHOICES.toExponential(1)}`,
  );
}

interface Held {
  readonly whose: string;
  readonly complete: boolean;
}

function requireRecordings(recordings: readonly Recording[], pack: RulePack, { whose, complete }: Held): void {
  const outcomes = recordings.flatMap((recording) => {
    try {
      return checkRecording({ file: recording.name, recording }, pack) ?? [];
    } catch (cause) {
      throw new Error(`its rules cannot read "${recording.name}" of ${whose}: ${errorText(cause)}`, { cause });
    }
  });
  // What no screen alone can show proves nothing.
  const proofs = outcomes.filter(({ alone }) => alone);
  if (proofs.length === 0) throw new Error(`${whose} prove nothing: there are none`);
  const { mistakes, missing } = summarize(proofs, { partial: !complete });
  if (mistakes.length > 0) {
    const lines = mistakes.slice(0, MAX_SHOWN_MISTAKES).map(mistakeLine);
    const more = mistakes.length > lines.length ? [`and ${mistakes.length - lines.length} more`] : [];
    throw new Error(
      [`its rules get ${mistakes.length} of ${whose} wrong`, ...[...lines, ...more].map((line) => `  ${line}`)].join(
        "\n",
      ),
    );
  }
  const [lacking] = missing;
  if (lacking === undefined) return;
  throw new Error(`${whose} prove too little: they show no screen of ${lacking.classes.join(", ")}`);
}

function mistakeLine({ name, version, expect, got, rule }: Outcome): string {
  return `${name} (${version}): ${got} by ${rule}, but it is ${expect}`;
}
