import { resolve } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { assertOwn } from "../../base/ports/state_folder.ts";
import { PROVIDERS } from "../../agents/mod.ts";
import { readCorpus } from "../../lab/recordings/corpus.ts";
import type { Recording } from "../../lab/recordings/recording.ts";
import { checkPayload } from "../../lab/rule_packs/check.ts";
import { envelopeText, sealPayload } from "../../lab/rule_packs/envelope.ts";
import { parseSigningKey, type SigningKey } from "../../lab/rule_packs/keys.ts";
import { MAX_PACK_BYTES } from "../../lab/rule_packs/store.ts";
import { PACK_FORMAT, recordingsText } from "../../lab/rule_packs/payload.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { errorText } from "../../base/text/error_text.ts";
import { outputLine } from "../../api/output/line.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import type { CliIo } from "../console/command.ts";
import { installedProviders } from "../installed_rules.ts";
import { type ChangeOptions, readNamedFile } from "./change.ts";
import { MAX_KEY_BYTES } from "./keys.ts";
import { present } from "../../base/schema.ts";

interface PackParts {
  readonly provider: string;
  readonly screen: string;
  readonly recordings: string;
  readonly version: string;
  readonly minimumEngine?: string | undefined;
  readonly note?: string | undefined;
  readonly key: string;
  readonly out: string;
}

/** `panewright rules pack`: makes a signed pack, once it has passed the checks of `rules update`. */
export async function makePack(parts: PackParts, { io, json }: ChangeOptions): Promise<number> {
  const { provider, version, minimumEngine = VERSION, note, out } = parts;
  const key = await readSigningKey(parts.key, io);
  const found = await collectRecordings(parts, io);
  const recordings = recordingsText(found);
  const payload = new TextEncoder().encode(JSON.stringify({
    ...{ format: PACK_FORMAT, provider, version, minimum_engine: minimumEngine, made_at: new Date().toISOString() },
    ...present({ note }),
    screen: readJson(parts.screen, io),
    recordings_sha256: await sha256Hex(recordings),
  }));
  try {
    await checkPayload({ payload, recordings }, { providers: PROVIDERS });
  } catch (cause) {
    throw new UsageError(`Cannot make a pack of ${parts.screen}: ${errorText(cause)}`, { cause });
  }
  const text = envelopeText({ ...await sealPayload(payload, key), recordings });
  if (new TextEncoder().encode(text).length > MAX_PACK_BYTES) {
    throw new UsageError(`Cannot make a pack of ${parts.recordings}: it would be larger than ${MAX_PACK_BYTES} bytes`);
  }
  try {
    await Deno.writeTextFile(resolve(io.cwd, out), text, { createNew: true });
  } catch (cause) {
    const reason = cause instanceof Deno.errors.AlreadyExists ? "there is such a file already" : errorText(cause);
    throw new UsageError(`Cannot write ${out}: ${reason}`, { cause });
  }
  const about = {
    provider,
    version,
    minimum_engine: minimumEngine,
    key: key.id,
    file: resolve(io.cwd, out),
  };
  io.stdout(
    json
      ? outputLine("pack", { ...about, recordings: found.length })
      : `${sanitizeLine(out)}: rules ${version} for ${provider}, ${found.length} recordings, signed by ${key.id}\n`,
  );
  return 0;
}

/** `panewright rules show PROVIDER`: layout and rules in use, to begin a pack with. */
export async function showRules(provider: string, { io }: ChangeOptions): Promise<number> {
  const providers = await installedProviders(io);
  const screens = providers.flatMap(({ id, terminal }) => terminal?.screen === undefined ? [] : [{ id, ...terminal }]);
  const found = screens.find(({ id }) => id === provider);
  if (found === undefined) {
    throw new UsageError(`Cannot show the rules of "${provider}": it has none of its own`, {
      hint: `PROVIDER is ${screens.map(({ id }) => id).join(" or ")}.`,
    });
  }
  io.stdout(`${JSON.stringify(found.screen, undefined, 2)}\n`);
  return 0;
}

async function readSigningKey(given: string, io: CliIo): Promise<SigningKey> {
  const bytes = readNamedFile(given, { io, maxBytes: MAX_KEY_BYTES });
  const path = resolve(io.cwd, given);
  const mode = Deno.lstatSync(path).mode ?? 0;
  try {
    assertOwn(path);
    if ((mode & 0o077) !== 0) throw new Error("other users can read it");
  } catch (cause) {
    throw new UsageError(`Cannot sign with ${given}: ${errorText(cause)}`, {
      cause,
      hint: "Make it yours alone with: chmod 600",
    });
  }
  return await parseSigningKey(new TextDecoder().decode(bytes), given);
}

function readJson(given: string, io: CliIo): unknown {
  const bytes = readNamedFile(given, { io, maxBytes: MAX_PACK_BYTES });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw new UsageError(`Cannot read ${given}: it is not JSON`, { cause });
  }
}

async function collectRecordings({ provider, recordings: path }: PackParts, io: CliIo): Promise<readonly Recording[]> {
  const found: Recording[] = [];
  for await (const { recording } of readCorpus(resolve(io.cwd, path))) {
    io.signal.throwIfAborted();
    if (recording.expect === undefined || (recording.provider ?? provider) !== provider) continue;
    found.push(recording);
  }
  return found;
}
