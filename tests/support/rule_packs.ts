import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { envelopeText, sealPayload } from "../../lib/lab/rule_packs/envelope.ts";
import { readGuardRecordings } from "../../lib/lab/rule_packs/guard_recordings.ts";
import { generateKeys, type KeyFiles, parseSigningKey } from "../../lib/lab/rule_packs/keys.ts";
import { recordingsText } from "../../lib/lab/rule_packs/payload.ts";
import { CODEX_SCREEN } from "../../lib/agents/codex/rules.ts";
import type { RuleData } from "../../lib/screen/screen_data.ts";
import { sha256Hex } from "../../lib/base/text/digest.ts";
import { VERSION } from "../../lib/base/version.ts";
import { callCli, type CalledCli } from "./call_cli.ts";
import type { FakeIoOptions } from "./fake_io.ts";
import { tempDir } from "./temp_dir.ts";

/** What a test changes in a pack that is right otherwise: the built-in rules of Codex with a version of their own. */
export interface PackChanges {
  readonly version?: string;
  /** Rules besides the built-in ones. */
  readonly rules?: readonly RuleData[];
  /** What is other in the payload. */
  readonly payload?: Readonly<Record<string, unknown>>;
  /** @default the recordings that panewright brings */
  readonly recordings?: readonly Recording[];
}

/** The payload of a pack, and its recordings. */
export async function packPayload(
  { version = `${VERSION}.1`, rules = [], payload = {}, recordings }: PackChanges = {},
) {
  const text = recordingsText(recordings ?? await readGuardRecordings("codex"));
  const value = {
    format: 1,
    provider: "codex",
    version,
    minimum_engine: VERSION,
    made_at: "2026-11-21T08:00:00Z",
    screen: { ...CODEX_SCREEN, rules: [...CODEX_SCREEN.rules, ...rules] },
    recordings_sha256: await sha256Hex(text),
    ...payload,
  };
  return { payload: new TextEncoder().encode(JSON.stringify(value)), recordings: text };
}

/** A signed pack, as text; nothing of it is checked. */
export async function signedPack(keys: KeyFiles, changes: PackChanges = {}): Promise<string> {
  const { payload, recordings } = await packPayload(changes);
  return envelopeText({ ...await sealPayload(payload, await parseSigningKey(keys.secret, "key")), recordings });
}

/** A person with a home and a working directory, who trusts a key. */
export async function rulesStage() {
  const dir = await tempDir();
  const keys = await generateKeys();
  await dir.write({ "wd/team.pub": keys.public, "home/.keep": "" });
  const [home, cwd] = [`${dir.path}/home`, `${dir.path}/wd`];
  const call = (args: readonly string[], options: FakeIoOptions = {}): Promise<CalledCli> =>
    callCli(args, { cwd, ...options, env: { HOME: home, ...options.env } });
  const { code, stderr } = await call(["rules", "trust", "--yes", "team.pub"]);
  if (code !== 0) throw new Error(stderr);
  return {
    ...dir,
    home,
    cwd,
    keys,
    /** Where the packs are kept. */
    folder: `${home}/.local/state/panewright/rules`,
    call,
    /** Makes a pack as a file of the working directory. */
    async offer(changes: PackChanges = {}, signer: KeyFiles = keys): Promise<string> {
      const name = `${crypto.randomUUID()}.json`;
      await dir.write({ [`wd/${name}`]: await signedPack(signer, changes) });
      return name;
    },
    /** The version in use for Codex, and whether it is built in. */
    async inUse(): Promise<string> {
      const { stdout } = await call(["rules", "--json"]);
      const { source, version } = JSON.parse(stdout.split("\n")[0]!);
      return `${source} ${version}`;
    },
  };
}
