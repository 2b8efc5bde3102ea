import { assertEquals, assertStringIncludes } from "@std/assert";
import { openPersonTerminal, type PersonTerminal } from "../support/person_terminal.ts";
import { type FailureStage, setUpFailureStage, type StartedRun } from "./failures_stage.ts";

/** Work that a person has to allow: it takes as long as it takes them. */
function allowed(response: readonly string[]) {
  return [{ run: { command: "true", approval: "To go on." } }, { respond: response }, { stream: "Done." }];
}

/** Programmer and tester wait for a person, one after the other. */
const SCRIPT = {
  tester: allowed(["RESULT: PASS", "All is well."]),
  others: { programmer: allowed(["Nothing was to be done."]) },
  config: { start_agent: "programmer" },
};

/** A person's terminal with `panewright attach` in it. */
function attach(
  stage: FailureStage,
  place: { readonly name: string; readonly columns: number; readonly rows: number },
  ...args: readonly string[]
): Promise<PersonTerminal> {
  const command = ["sh", "-c", 'env -u TMUX "$@"; echo "left with $?"; sleep 600', "sh", ...stage.panewright.argv];
  return openPersonTerminal(stage, { ...place, argv: [...command, "attach", ...args] });
}

/** Allows what an agent asks for. */
async function allow(stage: FailureStage, run: StartedRun, question: string): Promise<void> {
  const { runId } = await run.fact("dialog_waiting", (fact) => fact["question"] === question);
  const argv = [...stage.panewright.argv, "answer", String(runId), "--question", question, "yes"] as const;
  const { code, stderr } = await stage.command(argv[0]!, ...argv.slice(1));
  assertEquals(code, 0, stderr);
}

/** The sizes of the agents' panes, each once. */
async function paneSizes(run: StartedRun): Promise<readonly string[]> {
  const sizes = await run.tmux("list-panes", "-s", "-t", "=panewright:", "-F", "#{pane_width}x#{pane_height}");
  return [...new Set(sizes.split("\n"))];
}

Deno.test("attach: people follow the work, or see all roles, each for themselves, until the run ends", async () => {
  await using stage = await setUpFailureStage(SCRIPT);
  await using run = stage.run();
  const id = String((await run.fact("run_started"))["runId"]);
  {
    await using one = await attach(stage, { name: "one", columns: 100, rows: 30 });
    // The dialog is at the end of a pane that is larger than the terminal.
    await one.shows(/Would you like to run[^]*No, and tell/);
    // A second person's terminal is larger than that of the first, who is there already.
    await using two = await attach(stage, { name: "two", columns: 160, rows: 50 }, "--overview", "--read-only");
    await using three = await attach(stage, { name: "three", columns: 90, rows: 20 }, id, "programmer");

    await one.shows(
      /^ programmer: waiting for an answer to its dialog, for \d.*round 1 of 1, cycle 1 · run \d/m,
    );
    await two.shows(/─ programmer: waiting for an answer to its dialog[^]*─ tester: not its turn/);
    await two.shows(/^ 0 overview {2}.*3 programmer\* .*C-b d leaves$/m);
    await three.shows(/^ programmer: waiting/m);
    // One who may only look can go from window to window as well; the others do not see it. Keys that reach tmux within
    // a millisecond, as several that wait on a busy machine do, would be taken for a paste, in which none is a command.
    await run.tmux("set-option", "-g", "assume-paste-time", "0");
    await two.press("x");
    await two.press("C-b", "5");
    await two.shows(/^ tester: not its turn/m);
    await two.press("C-b", "f");
    await two.shows(/^ programmer: waiting/m);
    await two.press("C-b", "0");
    await one.resize(60, 15);
    await one.shows(/^ programmer: waiting/m);
    await two.resize(200, 60);
    assertEquals(await paneSizes(run), ["120x40"]);

    await allow(stage, run, "q1");
    await one.shows(/^ tester: waiting for an answer to its dialog/m);
    await three.shows(/^ programmer: not its turn .*round 1 of 1/m);
    await three.press("C-b", "d");
    const left = await three.shows(/left with 0/);
    assertStringIncludes(left.replaceAll("\n", ""), `run ${id}: waiting for q2answer it with: panewright answer ${id}`);
    assertStringIncludes(left, `it continues; see it again with: panewright attach ${id}`);

    assertEquals((await run.tmux("list-sessions", "-F", "#{session_name}")).split("\n").length, 3);
    await allow(stage, run, "q2");
    assertEquals((await run.ended()).code, 0);
    for (const person of [one, two]) {
      assertStringIncludes((await person.shows(/left with 0/)).replaceAll("\n", ""), `run ${id}: passed: `);
    }
  }
  await stage.sandbox.assertNothingLeft();
});
