import { readCorpus } from "../../lib/lab/recordings/corpus.ts";
import type { Recording } from "../../lib/lab/recordings/recording.ts";
import { CLAUDE_CODE_RULES } from "../../lib/agents/claude_code/rules.ts";
import { CODEX_RULES } from "../../lib/agents/codex/rules.ts";
import { classify, parseScreen, type RulePack, type TerminalStatus } from "../../lib/screen/mod.ts";
import { sha256Hex } from "../../lib/base/text/digest.ts";
import type { CliName } from "../support/clis.ts";
import { dressOf } from "../lab/recording/variants.ts";

const SCREENS = new URL("../../fixtures/screens", import.meta.url).pathname;

const PACKS: Readonly<Record<CliName, RulePack>> = { codex: CODEX_RULES, claude_code: CLAUDE_CODE_RULES };

/** A recorded screen with its truth. */
export interface Sample {
  /** 16 hexadecimal digits: a name such as `idle-fresh-80x24` would tell the truth. */
  readonly id: string;
  readonly cli: CliName;
  readonly version: string;
  /** The setting that it was recorded in, by name and in words. */
  readonly dress: { readonly name: string; readonly about: string };
  readonly expect: TerminalStatus;
  /** False if one screen alone cannot show the status; it is not scored. */
  readonly alone: boolean;
  readonly recording: Recording;
}

/** Every recording of the corpus, in the order of its packs. */
export async function readSamples(): Promise<readonly Sample[]> {
  const samples: Sample[] = [];
  for (const cli of ["claude_code", "codex"] as const) {
    for await (const { recording } of readCorpus(`${SCREENS}/${cli}`)) {
      const { name, version, expect, alone } = recording;
      if (version === undefined || expect === undefined) throw new TypeError(`${cli} ${name} has no version or status`);
      samples.push({
        id: (await sha256Hex(`${cli}/${version}/${name}`)).slice(0, 16),
        cli,
        version,
        dress: dressOf(cli, name),
        expect,
        alone: alone !== false,
        recording,
      });
    }
  }
  return samples;
}

/**
 * What a tool is given of each sample: all that a terminal multiplexer knows of the pane, and nothing of the truth.
 * They come in the order of their ids, as the order of their names would tell of it, too.
 */
export function exported(samples: readonly Sample[]): readonly Readonly<Record<string, unknown>>[] {
  return samples.toSorted((a, b) => a.id < b.id ? -1 : 1).map(exportedScreen);
}

function exportedScreen({ id, cli, version, recording }: Sample): Readonly<Record<string, unknown>> {
  const { cols, rows, title, alternate, cursor, cursorVisible, command, dead, ansi } = recording;
  return {
    id,
    cli,
    version,
    columns: cols,
    rows,
    title,
    alternate_screen: alternate,
    cursor,
    cursor_visible: cursorVisible,
    command,
    dead,
    text: ansi,
  };
}

/** What panewright's rules tell each sample as. */
export function toldByRules(samples: readonly Sample[]): ReadonlyMap<string, TerminalStatus> {
  return new Map(
    samples.map(({ id, cli, recording }) => [id, classify(parseScreen(recording.ansi, recording), PACKS[cli]).status]),
  );
}
