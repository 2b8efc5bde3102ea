import { HumanInterventionRequiredError, UsageError } from "../../base/errors.ts";
import type { Provider } from "../../agents/provider.ts";
import { present } from "../../base/schema.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import { VERSION } from "../../base/version.ts";
import { checkPayload } from "./check.ts";
import { envelopeText, openEnvelope, UntrustedKeyError } from "./envelope.ts";
import { providersOfRules, readRulesState } from "./installed.ts";
import { NewerEngineError } from "./payload.ts";
import {
  type InstalledPack,
  lockRules,
  MAX_PACK_BYTES,
  NO_PACKS,
  readIndex,
  type RulesIndex,
  writeIndex,
  writePackFile,
} from "./store.ts";
import { readTrustedKeys } from "./trusted_keys.ts";
import { isNewer } from "./versions.ts";

const MAX_KEPT = 10;

interface InstallContext {
  readonly folder: string;
  readonly providers: readonly Provider[];
  readonly now: Date;
}

interface NewPack {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly from: string;
  readonly allowDowngrade?: boolean;
}

interface Update {
  readonly provider: string;
  readonly installed: InstalledPack;
  readonly before: string;
  readonly unchanged: boolean;
}

export async function updateRules(
  { bytes, from, allowDowngrade = false }: NewPack,
  context: InstallContext,
): Promise<Update> {
  const { folder, providers, now } = context;
  using _lock = await lockRules(folder);
  const index = readIndex(folder);
  const keys = await readTrustedKeys(folder);
  const { payload, opened } = await refusing(from, async () => {
    if (bytes.length > MAX_PACK_BYTES) throw new Error(`it is larger than ${MAX_PACK_BYTES} bytes`);
    const opened = await openEnvelope(bytes, keys);
    return { ...await checkPayload(opened, { providers }), opened };
  });
  const { provider, version } = payload;
  const { recordings = "", key, ...envelope } = opened;
  const sha256 = await sha256Hex(envelope.payload);
  const kept = index.packs[provider] ?? [];
  const [current] = kept;
  const before = current?.version ?? VERSION;
  const state = current?.sha256 === sha256
    ? await readRulesState(current, { folder, provider, providers, keys })
    : undefined;
  if (state?.kind === "pack") return { provider, installed: state.installed, before, unchanged: true };
  // The very pack whose files are damaged mends them.
  if (!allowDowngrade && state?.kind !== "unusable") requireNewer({ from, version, sha256, provider }, index);
  const installed: InstalledPack = {
    ...{ sha256, version, key: key.id, installedAt: now.toISOString(), from, checkedBy: VERSION },
    ...(isNewer(version, VERSION) ? {} : { downgrade: true }),
  };
  await writePackFile(folder, recordings, { sha256, file: "ndjson" });
  await writePackFile(folder, envelopeText(envelope), { sha256, file: "json" });
  const others = kept.filter((pack) => pack.sha256 !== sha256);
  await writeIndex(folder, {
    packs: { ...index.packs, [provider]: [installed, ...others].slice(0, MAX_KEPT) },
    left: { ...index.left, [provider]: (index.left[provider] ?? []).filter((pack) => pack.sha256 !== sha256) },
  });
  return { provider, installed, before, unchanged: false };
}

interface Rollback {
  readonly provider: string;
  readonly left: InstalledPack;
  readonly now?: InstalledPack;
  readonly skipped: readonly { readonly installed: InstalledPack; readonly problem: string }[];
}

export async function rollbackRules(
  { provider: named, toBuiltIn }: { readonly provider?: string | undefined; readonly toBuiltIn: boolean },
  context: InstallContext,
): Promise<Rollback> {
  const { folder, providers, now } = context;
  using _lock = await lockRules(folder);
  const index = readIndex(folder);
  const provider = named ?? onlyProvider(index);
  const known = providersOfRules({ providers, index });
  if (!known.has(provider)) {
    throw new UsageError(`Cannot go back for "${provider}": it has no rules of its own`, {
      hint: `PROVIDER is ${[...known].join(" or ")}.`,
    });
  }
  const [left, ...before] = index.packs[provider] ?? [];
  if (left === undefined) {
    throw new UsageError(`Cannot go back for ${provider}: the built-in rules are in use`, {
      hint: '"panewright rules" shows what is installed.',
    });
  }
  const skipped: { readonly installed: InstalledPack; readonly problem: string }[] = [];
  let rest = toBuiltIn ? [] : before;
  const keys = rest.length === 0 ? new Map() : await readTrustedKeys(folder);
  for (const installed of rest) {
    const state = await readRulesState(installed, { folder, provider, providers, keys });
    if (state.kind === "pack") break;
    const problem = state.kind === "unusable" ? state.problem : "the built-in rules are not older";
    skipped.push({ installed, problem });
    rest = rest.slice(1);
  }
  await writeIndex(folder, {
    packs: { ...index.packs, [provider]: rest },
    left: leave(index.left, { provider, pack: left, now }),
  });
  return { provider, left, skipped, ...present({ now: rest[0] }) };
}

export async function resetRules({ folder, now }: InstallContext): Promise<void> {
  using _lock = await lockRules(folder);
  const { packs, ...index } = readIndexOrNone(folder);
  let { left } = index;
  for (const [provider, [pack]] of Object.entries(packs)) left = leave(left, { provider, pack, now });
  await writeIndex(folder, { packs: {}, left });
}

function readIndexOrNone(folder: string): RulesIndex {
  try {
    return readIndex(folder);
  } catch (error) {
    if (error instanceof UsageError) return NO_PACKS;
    throw error;
  }
}

function leave(
  left: RulesIndex["left"],
  { provider, pack, now }: Pick<InstallContext, "now"> & {
    readonly provider: string;
    readonly pack: InstalledPack | undefined;
  },
): RulesIndex["left"] {
  if (pack === undefined) return left;
  const { sha256, version } = pack;
  const own = [{ sha256, version, leftAt: now.toISOString() }, ...left[provider] ?? []];
  return { ...left, [provider]: own.slice(0, MAX_KEPT) };
}

async function refusing<Result>(from: string, check: () => Promise<Result>): Promise<Result> {
  try {
    return await check();
  } catch (cause) {
    if (cause instanceof UsageError) throw cause;
    const message = `Cannot use the rules of ${from}: ${errorText(cause)}`;
    if (cause instanceof UntrustedKeyError) {
      throw new HumanInterventionRequiredError(message, {
        cause,
        hint: "If you know whose key it is, trust it with: panewright rules trust KEYFILE",
      });
    }
    const hint = cause instanceof NewerEngineError ? { hint: "Update panewright first." } : {};
    throw new UsageError(message, { cause, ...hint });
  }
}

type Offered = Pick<InstalledPack, "from" | "version" | "sha256"> & { readonly provider: string };

function requireNewer({ from, version, sha256, provider }: Offered, index: RulesIndex): void {
  const hint = "Install it all the same with: --allow-downgrade";
  const left = index.left[provider]?.find((pack) => pack.sha256 === sha256);
  if (left !== undefined) {
    throw new UsageError(`Cannot use the rules of ${from}: you went back from them at ${left.leftAt}`, { hint });
  }
  const [current] = index.packs[provider] ?? [];
  const others = [
    { other: VERSION, what: "the built-in ones" },
    ...(current === undefined ? [] : [{ other: current.version, what: "those in use" }]),
  ];
  for (const { other, what } of others) {
    if (isNewer(version, other)) continue;
    throw new UsageError(
      `Cannot use the rules of ${from}: they have version ${version}, which is not newer than ${what} (${other})`,
      { hint },
    );
  }
}

function onlyProvider({ packs }: RulesIndex): string {
  const having = Object.keys(packs).filter((provider) => packs[provider]?.length !== 0);
  const [only, ...others] = having;
  if (only !== undefined && others.length === 0) return only;
  throw new UsageError(
    only === undefined
      ? "Cannot go back: the built-in rules are in use"
      : `Cannot go back: ${having.join(" and ")} have packs of rules`,
    only === undefined ? {} : { hint: `Name one of them: panewright rules rollback ${only}` },
  );
}
