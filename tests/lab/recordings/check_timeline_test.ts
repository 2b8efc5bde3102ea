import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { UsageError } from "../../../lib/base/errors.ts";
import { summarize } from "../../../lib/lab/recordings/check.ts";
import { toJUnit } from "../../../lib/lab/recordings/junit.ts";
import { checkTimeline, findTimelines, timelineFaults } from "../../../lib/lab/recordings/check_timeline.ts";
import { findRulePack } from "../../../lib/agents/classify_screen.ts";
import { isFaultless } from "../../../lib/lab/recordings/replay_timeline.ts";
import { changeRulePack, classify, type RulePack, type Screen } from "../../../lib/screen/mod.ts";

const TIMELINES = new URL("../../../fixtures/timelines", import.meta.url).pathname;

const byRules = (findPack: (provider: string) => RulePack) => ({
  classify: (provider: string, screen: Screen) => classify(screen, findPack(provider)),
});

/** The rules without what tells a Codex at work. */
function blind(provider: string): RulePack {
  const pack = findRulePack(provider);
  const rules = ["status-row", "title-spinner"].map((id) => ({ rule: { id, remove: true }, origin: "" }));
  return changeRulePack(pack, { rules });
}

Deno.test("rules that miss work are found by their false rests, and the corpus does not pass", async () => {
  const { checkable, unknown } = await findTimelines(TIMELINES);
  assertEquals(unknown, []);
  const path = checkable.find((each) => each.includes("codex-0.169.0-220x50"));
  assert(path);
  const checked = await checkTimeline(path, byRules(blind));
  assert(!isFaultless(checked));
  const [first = ""] = timelineFaults(checked);
  assert(/^false rest from \d+\.\d s to \d+\.\d s: expected processing, got \w+ by \w+/.test(first), first);
  const report = summarize([], { timelines: [checked] });
  assertEquals(report.passed, false);
  const xml = toJUnit([], report);
  assertStringIncludes(xml, '<testsuite name="timelines" tests="1" failures="1">');
  assertStringIncludes(xml, `<failure message="${first}">`);
});

Deno.test("timelines are found in folders and by their own path; those without truth are named apart", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.mkdir(`${folder}/sub`);
    for (const name of ["a.cast", "a.truth.json", "sub/b.cast.gz", "sub/b.txt"]) {
      await Deno.writeTextFile(`${folder}/${name}`, "");
    }
    assertEquals(await findTimelines(folder), {
      checkable: [`${folder}/a.cast`],
      unknown: [`${folder}/sub/b.cast.gz`],
    });
    const alone = await findTimelines(`${folder}/sub/b.cast.gz`);
    assertEquals(alone.checkable, [`${folder}/sub/b.cast.gz`]);
    await assertRejects(() => checkTimeline(`${folder}/a.cast`, byRules(findRulePack)), UsageError, "a.cast");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
