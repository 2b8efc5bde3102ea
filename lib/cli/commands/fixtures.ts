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
import { defineCommand, switchFlag, textFlag } from "../console/command.ts";
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
  arguments: [
    { name: "check", description: "the word check", required: true },
    { name: "DIR", description: `a folder, pack or timeline (${DEFAULT_FOLDER})` },
  ],
  flags: {
    junit: textFlag("FILE", "write the outcomes as JUnit XML too"),
    partial: switchFlag("do not ask for screens of every class"),
    config: CONFIG_RULES_FLAG,
  },
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
