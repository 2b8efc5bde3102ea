import { UsageError } from "../../base/errors.ts";
import type { Provider } from "../../agents/provider.ts";
import type { RulePack } from "../../screen/rules.ts";
import { createRulePack, type ScreenData } from "../../screen/screen_data.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import { VERSION } from "../../base/version.ts";
import { openEnvelope } from "./envelope.ts";
import type { PublicKey } from "./keys.ts";
import {
  type InstalledPack,
  lockRules,
  NO_PACKS,
  readIndex,
  readPackFile,
  type RulesIndex,
  writeIndex,
} from "./store.ts";
import type { RulesPayload } from "./payload.ts";
import { readTrustedKeys } from "./trusted_keys.ts";
import { isNewer } from "./versions.ts";

export type RulesState =
  | { readonly kind: "built_in" }
  | { readonly kind: "pack"; readonly installed: InstalledPack; readonly screen: ScreenData; readonly pack: RulePack }
  | { readonly kind: "outdated"; readonly installed: InstalledPack }
  | UnusableRules;

/** Nothing may read this provider's screens before the person has decided. */
interface UnusableRules {
  readonly kind: "unusable";
  readonly installed: InstalledPack;
  readonly problem: string;
}

interface RulesContext {
  readonly folder: string | undefined;
  readonly providers: readonly Provider[];
}

/**
 * A pack was checked when it was installed; now its bytes must be those, and signed by a key that is still trusted.
 * Where another version of panewright has checked it, this one does so again, once. One that cannot be used is an error:
 * never are others used in its place.
 */
export async function withInstalledRules(
  { folder, providers }: RulesContext,
  { onOutdated }: { readonly onOutdated: (provider: string, installed: InstalledPack) => void },
): Promise<readonly Provider[]> {
  const index = folder === undefined ? NO_PACKS : readIndex(folder);
  if (folder === undefined || Object.values(index.packs).every((packs) => packs.length === 0)) return providers;
  const states = await readRulesStates({ folder, providers, index });
  for (const [provider, state] of states) if (state.kind === "unusable") throw unusableError(provider, state);
  await stamp(folder, [...states.values()]);
  for (const [provider, state] of states) if (state.kind === "outdated") onOutdated(provider, state.installed);
  return providers.map((provider) => {
    const state = states.get(provider.id);
    if (state?.kind !== "pack" || provider.terminal === undefined) return provider;
    const { pack: rules, screen } = state;
    return { ...provider, terminal: { ...provider.terminal, rules, screen } };
  });
}

export async function readRulesStates(
  { folder, providers, index }: RulesContext & { readonly folder: string; readonly index: RulesIndex },
): Promise<ReadonlyMap<string, RulesState>> {
  const keys = Object.values(index.packs).flat().length === 0 ? new Map() : await readTrustedKeys(folder);
  const states = new Map<string, RulesState>();
  for (const provider of providersOfRules({ providers, index })) {
    const [installed] = index.packs[provider] ?? [];
    states.set(
      provider,
      installed === undefined
        ? { kind: "built_in" }
        : await readRulesState(installed, { folder, provider, providers, keys }),
    );
  }
  return states;
}

/** The ids of the providers that can have a pack, and of those that have one: another version may know more of them. */
export function providersOfRules(
  { providers, index: { packs } }: Pick<RulesContext, "providers"> & { readonly index: RulesIndex },
): ReadonlySet<string> {
  const replaceable = providers.filter(({ terminal }) => terminal?.screen !== undefined).map(({ id }) => id);
  return new Set([...replaceable, ...Object.keys(packs)]);
}

interface PackContext extends RulesContext {
  readonly folder: string;
  readonly provider: string;
  readonly keys: ReadonlyMap<string, PublicKey>;
}

export async function readRulesState(installed: InstalledPack, context: PackContext): Promise<RulesState> {
  const { folder, provider, providers, keys } = context;
  const { sha256, version, checkedBy, downgrade = false } = installed;
  try {
    if (!downgrade && !isNewer(version, VERSION)) return { kind: "outdated", installed };
    const { payload, key } = await openEnvelope(readPackFile(folder, { sha256, file: "json" }), keys);
    if (await sha256Hex(payload) !== sha256) throw new Error("its file was changed after it was installed");
    const said = checkedBy === VERSION
      ? JSON.parse(new TextDecoder().decode(payload)) as Said
      : await checkAgain(payload, { folder, sha256, providers });
    if (said.provider !== provider || said.version !== version) {
      throw new Error("it is not the pack that was installed");
    }
    const { screen } = said;
    const pack = { ...createRulePack(provider, screen), source: { version, sha256, key: key.id } };
    return { kind: "pack", installed, screen, pack };
  } catch (error) {
    const problem = error instanceof Deno.errors.NotFound ? "its file is gone" : errorText(error);
    return { kind: "unusable", installed, problem };
  }
}

export function rollbackHint(provider: string): string {
  return `Go back to the rules before them with: panewright rules rollback ${provider}`;
}

function unusableError(provider: string, { installed, problem }: UnusableRules): UsageError {
  return new UsageError(`Cannot use the rules ${installed.version} that you installed for ${provider}: ${problem}`, {
    hint: rollbackHint(provider),
  });
}

/** Another version of panewright may read rules in another way, and brings other recordings. */
async function checkAgain(
  payload: Uint8Array<ArrayBuffer>,
  { folder, sha256, providers }: Pick<PackContext, "folder" | "providers"> & { readonly sha256: string },
): Promise<Said> {
  const { checkPayload } = await import("./check.ts");
  const recordings = new TextDecoder().decode(readPackFile(folder, { sha256, file: "ndjson" }));
  return (await checkPayload({ payload, recordings }, { providers })).payload;
}

type Said = Pick<RulesPayload, "provider" | "version" | "screen">;

async function stamp(folder: string, states: readonly RulesState[]): Promise<void> {
  const checked = states.flatMap((state) => state.kind === "pack" ? [state.installed] : [])
    .filter(({ checkedBy }) => checkedBy !== VERSION).map(({ sha256 }) => sha256);
  if (checked.length === 0) return;
  try {
    using _lock = await lockRules(folder);
    const { packs, left } = readIndex(folder);
    const stamped = Object.entries(packs).map(([provider, list]) => [
      provider,
      list.map((pack) => checked.includes(pack.sha256) ? { ...pack, checkedBy: VERSION } : pack),
    ]);
    await writeIndex(folder, { packs: Object.fromEntries(stamped), left });
  } catch (error) {
    // Then the next process checks them as well.
    if (!(error instanceof UsageError)) throw error;
  }
}
