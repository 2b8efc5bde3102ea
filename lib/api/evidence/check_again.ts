import type { Clock } from "../../base/ports/clock.ts";
import { CHECK_VARIABLE } from "../../base/ports/marks.ts";
import { lastLines } from "../../base/text/lines.ts";
import { runTestCommand } from "../../jobs/test_command.ts";
import { openWholeSandbox } from "../../jobs/whole_sandbox.ts";
import { openWorkspace } from "../../workspace/open_workspace.ts";
import { variablesOfWorkspace } from "../../workspace/ports.ts";
import { dropWorkspace } from "../../workspace/result.ts";
import { named } from "../../evidence/compare_results.ts";
import { joinResults, resultsIn, type TestResults } from "../../evidence/test_results.ts";
import { plural } from "../../journal/words/words.ts";
import { listingOf } from "../../jobs/evidence/listing.ts";
import { OUTPUT_BYTES } from "../../jobs/evidence/trial.ts";
import { namingTests } from "../../evidence/runner_flags.ts";
import { filesIn } from "../../workspace/trees.ts";
import type { Finding, Statement } from "./statement.ts";
import { commitHere } from "./files_here.ts";

interface CheckingAgain {
  /** A folder of a repository that has the commit, or one without git that has its files. */
  readonly cwd: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** What the sandbox around the commands is called in the state folder. */
  readonly name: string;
  /** Told what comes of the sandbox. */
  readonly warn: (message: string) => void;
}

/** Whether each test that passed does again. */
function comparedTests(then: Readonly<Record<string, string>>, now: TestResults | undefined): Finding {
  const what = "tests";
  if (now === undefined) {
    return { what, holds: null, detail: "how each has ended is not told by what the checks write" };
  }
  const passed = Object.entries(then).filter(([, how]) => how === "passed").map(([name]) => name);
  const others = passed.filter((name) => now.tests.get(name) !== "passed");
  return others.length > 0
    ? { what, holds: false, detail: `${plural(others.length, "test")} that passed then did not now: ${named(others)}` }
    : { what, holds: true, detail: `${plural(passed.length, "test")} that passed then passed again` };
}

const SETUP_SECONDS = 600;

/** Runs the checks of a statement once more, on a fresh checkout of its commit, in a sandbox where the machine can. */
export async function checkAgain(
  statement: Statement,
  { clock, cwd, name, signal, warn }: CheckingAgain,
): Promise<readonly Finding[]> {
  const { checks, setup, tests } = statement.predicate.panewright;
  const { base: at, isPlain } = await commitHere(statement, { cwd, signal });
  if (checks.length === 0) return [{ what: "checks", holds: false, detail: "it names none" }];
  const place = await openWorkspace(cwd, {
    ...{ at, isPlain, task: "evidence", now: new Date(), signal, share: ["node_modules/"] },
  });
  try {
    const { workdir } = place;
    const whole = { network: [], variables: [], orCommands: true };
    const around = { folder: { path: workdir }, workdir, writable: [], whole, name };
    await using open = await openWholeSandbox(new Map(), {
      ...{ ...around, clock, signal, onRefusal: () => {}, onGone: () => {} },
    });
    if ("notOpened" in open) warn(`the checks run without a sandbox: ${open.notOpened}`);
    const commands = [...(setup === undefined ? [] : [{ command: setup, timeLimitSeconds: SETUP_SECONDS }]), ...checks];
    const run = async (env: Readonly<Record<string, string>>, calledOf = (command: string) => command) => {
      const found: Finding[] = [];
      const results: (TestResults | undefined)[] = [];
      for (const { command, timeLimitSeconds } of commands) {
        const { exitCode, output, passed } = await runTestCommand(calledOf(command), {
          ...{ cwd: workdir, timeoutSeconds: timeLimitSeconds, env: { ...variablesOfWorkspace(workdir), ...env } },
          ...{ clock, signal, maxOutputBytes: OUTPUT_BYTES },
          mark: { name: CHECK_VARIABLE, value: `${workdir}/${crypto.randomUUID()}/` },
          around: "notOpened" in open ? undefined : open.commands,
        });
        const said = lastLines(output, 1)[0] ?? "";
        const detail = passed ? "it passes again" : `exit code ${exitCode}${said === "" ? "" : `: ${said}`}`;
        found.push({ what: command, holds: passed, detail });
        if (!passed) return found;
        results.push(resultsIn(output));
      }
      return tests?.results === undefined ? found : [...found, comparedTests(tests.results, joinResults(results))];
    };
    const env = tests === undefined ? {} : listingOf(await filesIn(at, { store: place.store, signal }));
    const found = await run(env, tests === undefined ? undefined : namingTests);
    // What has a runner tell more may be what fails.
    return tests !== undefined && found.some(({ holds }) => holds === false) ? await run({}) : found;
  } finally {
    await dropWorkspace(place);
  }
}
