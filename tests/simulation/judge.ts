import { parseJsonObject } from "../../lib/base/text/json.ts";
import { runFolderAt } from "../../lib/run/run_folder.ts";
import type { Machine } from "./machine/machine.ts";
import { type Fact, type NightPlan, questionsOf } from "./night.ts";
import { PROJECT, type World } from "./world.ts";

/** What must hold after every night, whatever happened in it. */
export function judge({ plan, world, machine, told, ends }: {
  readonly plan: NightPlan;
  readonly world: World;
  readonly machine: Machine;
  readonly told: readonly Fact[];
  readonly ends: readonly { readonly outcome: string; readonly reason: string }[];
}): void {
  const end = ends.at(-1);
  const records = recordsOf(machine, (line) => world.violate(`a line of a journal cannot be read: ${line}`));
  nothingLost(told, records, world);
  responsesKept(world, machine);
  answersOnce(records, world);
  allAreAsked(records, world);
  passIsProven(plan, { outcome: end?.outcome, records }, world);
}

/** What stands in the journals of a night's runs, as people find them. */
export function recordsOf({ files }: Machine, onUnreadable: (line: string) => void = () => {}): readonly Fact[] {
  const runs = `${PROJECT}/.panewright/runs`;
  const ids = files.has(runs) ? files.readDir(runs).map(({ name }) => name).sort() : [];
  const paths = ids.map((id) => runFolderAt(PROJECT, id).journalPath).filter((path) => files.has(path));
  return paths.flatMap((path) => {
    // What follows the last line end was being written.
    const lines = files.text(path).split("\n").slice(0, -1);
    return lines.flatMap((line) => {
      const fact = parseJsonObject(line);
      if (fact === undefined) onUnreadable(line.slice(0, 200));
      return fact === undefined ? [] : [fact as Fact];
    });
  });
}

/** What was told as recorded is in a journal, in the order in which it was told. */
function nothingLost(told: readonly Fact[], records: readonly Fact[], world: World): void {
  let at = 0;
  for (const fact of told) {
    const found = records.findIndex(({ type }, index) => index >= at && type === fact.type);
    if (found < 0) return world.violate(`lost from the journal: ${JSON.stringify(fact).slice(0, 200)}`);
    at = found + 1;
  }
}

/** Each response that an agent has written whole still stands somewhere, unless the agent has replaced it. */
function responsesKept(world: World, machine: Machine): void {
  if (world.responses.length === 0) return;
  const texts = new Set([...machine.files.below(PROJECT)].map(([, text]) => text));
  for (const { path, text, isReplaced } of world.responses) {
    if (!isReplaced && !texts.has(text)) world.violate(`a response to ${path} is lost: ${text.split("\n")[0]}`);
  }
}

/** No answer of a person is used for two matters, or twice. */
function answersOnce(records: readonly Fact[], world: World): void {
  const used = new Set<unknown>();
  for (const { type, question, by } of records) {
    if ((type !== "dialog_answered" && type !== "question_answered") || question === undefined || by === undefined) {
      continue;
    }
    if (used.has(question)) world.violate(`the answer to ${question} was used twice`);
    used.add(question);
  }
}

/** Of questions that were asked at the same time none is lost. */
function allAreAsked(records: readonly Fact[], world: World): void {
  const asked = new Set(records.flatMap(questionsOf).map(({ words }) => words));
  const isAsked = (question: string) => asked.has(question);
  for (const together of world.stepAsks) {
    const lost = together.filter((question) => !isAsked(question));
    if (lost.length > 0 && lost.length < together.length) {
      world.violate(`asked at the same time, and lost: ${lost.join(", ")}`);
    }
  }
}

/** A run passes by its tester's word, and by the test command's where there is one. */
function passIsProven(
  plan: NightPlan,
  { outcome, records }: { readonly outcome: string | undefined; readonly records: readonly Fact[] },
  world: World,
): void {
  if (outcome !== "pass" || plan.job !== "run") return;
  const lastTest = world.responses.findLast(({ path }) => path.endsWith("test_result.md"));
  if (lastTest === undefined || !lastTest.text.includes("RESULT: PASS")) {
    world.violate("it passed without its tester's PASS");
  }
  const hasTest = records.some(({ type }) => type === "test_command_started");
  if (hasTest && world.tests.at(-1) !== 0) world.violate("it passed although the project's tests had failed");
}
