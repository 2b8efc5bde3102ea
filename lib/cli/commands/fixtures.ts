import { UsageError } from "../../base/errors.ts";
import { checkRecording, type Outcome, summarize } from "../../lab/recordings/check.ts";
import { readCorpus } from "../../lab/recordings/corpus.ts";
import { toJUnit } from "../../lab/recordings/junit.ts";
import { classify } from "../../screen/mod.ts";
import {
  type CheckedTimeline,
  checkTimeline,
  findTimelines,
  isTimelinePath,
} from "../../lab/recordings/check_timeline.ts";
import { defineCommand } from "../console/command.ts";
import { renderReport, reportJson } from "../show/fixtures_report.ts";
import { CONFIG_RULES_FLAG, type FindRulePack, loadRulePacks } from "../rule_packs.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

const DEFAULT_FOLDER = "fixtures";

interface CheckOptions {
  readonly findPack: FindRulePack;
  readonly signal: AbortSignal;
}

async function checkScreens(path: string, { findPack, signal }: CheckOptions): Promise<readonly Outcome[]> {
  if (isTimelinePath(path)) return [];
  const outcomes: Outcome[] = [];
  for await (const entry of readCorpus(path)) {
    signal.throwIfAborted();
    const { provider, expect } = entry.recording;
    if (expect === undefined) continue;
    if (provider === undefined) {
      throw new UsageError(`Cannot check ${entry.file}: its sidecar names no provider`);
    }
    const outcome = checkRecording(entry, findPack(provider));
    if (outcome) outcomes.push(outcome);
  }
  return outcomes;
}

async function checkTimelines(
  paths: readonly string[],
  { findPack, signal }: CheckOptions,
): Promise<readonly CheckedTimeline[]> {
  const checked: CheckedTimeline[] = [];
  for (const path of paths) {
    signal.throwIfAborted();
    checked.push(
      await checkTimeline(path, {
        classify: (provider, screen) => classify(screen, findPack(provider)),
      }),
    );
  }
  return checked;
}

export const command = defineCommand({
  description:
    `Checks the rules against recordings: a confusion matrix per provider and version, and every mistake with what it ` +
    `rests on. Sessions recorded over time are checked for rests that are told inside a turn, for flaps, and for ` +
    `changes that are told later than the next poll.

The exit code is 1 when there is a mistake, or when the screens of a provider lack a class: idle, processing, ` +
    `streaming, waiting, completed, error, and negative, which is an answer that quotes a spinner or dialog (but see ` +
    `--partial).

DIR holds captures with sidecars (NAME.ansi or NAME.txt, and NAME.json), packs of them (*.ndjson.gz), and timelines ` +
    `with the truth about them (NAME.cast or NAME.cast.gz, and NAME.truth.json). Without DIR it is ${DEFAULT_FOLDER}.`,
  arguments: [
    { name: "check", description: "the word check", required: true },
    { name: "DIR", description: `a folder, pack or timeline (${DEFAULT_FOLDER})` },
  ],
  flags: [
    { name: "junit", type: "string", placeholder: "FILE", description: "write the outcomes as JUnit XML too" },
    { name: "partial", type: "switch", description: "do not ask for screens of every class" },
    CONFIG_RULES_FLAG,
  ],
  examples: [
    { command: "fixtures check", description: "this project's own recordings" },
    {
      command: "fixtures check my-screens --partial --config panewright.jsonc",
      description: "your own, with your own rules",
    },
    { command: "fixtures check my-screens --junit screens.xml", description: "for a CI system" },
  ],
  async run({ flags, positionals, global }, io) {
    const [action, path = DEFAULT_FOLDER] = positionals;
    if (action !== "check") {
      throw new UsageError(`Cannot do "${action}" with fixtures`, { hint: 'There is one action: "fixtures check".' });
    }
    const options = { findPack: await loadRulePacks(flags.config, io), signal: io.signal };
    const outcomes = await checkScreens(path, options);
    const { checkable, unknown } = await findTimelines(path);
    const timelines = await checkTimelines(checkable, options);
    if (outcomes.length + timelines.length === 0) {
      throw new UsageError(`Cannot check ${path}: it holds no recording with an expected status`, {
        hint: 'A recording is NAME.ansi or NAME.txt with NAME.json beside it: {"provider": …, "expect": …}.',
      });
    }
    const report = summarize(outcomes, { timelines, partial: flags.partial === true });
    if (flags.junit !== undefined) await Deno.writeTextFile(flags.junit, toJUnit(outcomes, report));
    for (const timeline of unknown) {
      io.stderr(`Not checked, for it has no truth beside it: ${sanitizeLine(timeline)}\n`);
    }
    io.stdout(global.json ? reportJson(report) : renderReport(report));
    return report.passed ? 0 : 1;
  },
});
