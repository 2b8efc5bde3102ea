import { removeEntriesOf } from "../../run/run_entry.ts";
import { basename, dirname } from "@std/path/posix";
import { walk } from "@std/fs";
import { loadConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { shellQuote } from "../../shell/quote.ts";
import { tmuxCommand } from "../../tmux/server.ts";
import { defineCommand, switchFlag } from "../console/command.ts";
import { demoSummary, type NextCommands } from "../demo_summary.ts";
import { commandInForm, type Start, startOfThis, taskInForm } from "../start_form.ts";
import { createDemoProject, DEMO_CONFIG_FILE, DEMO_WORKDIR } from "../demo_project.ts";
import { executeReview } from "../execute_review.ts";
import type { ReviewFact } from "../../journal/loop/facts.ts";
import { executeReviewRun, type ReviewRunOptions } from "../../jobs/review_loop/execute.ts";
import { checkFolder } from "../preflight/machine.ts";
import { openPreflight } from "../preflight/mod.ts";
import { recordWritten } from "../trust.ts";
import { plural } from "../../journal/words/words.ts";

export const command = defineCommand({
  flags: {
    keep: switchFlag("keep the demo's folder and the agents' panes afterwards"),
  },
  async run({ flags, global }, io) {
    const keep = flags.keep === true;
    const preflight = openPreflight("start the demo", { io, global });
    await preflight.readBesideMachine(() => Promise.resolve(), { panes: true });
    const temporary = io.env("TMPDIR") || "/tmp";
    preflight.require([await checkFolder("folder for temporary files", temporary, { variable: "TMPDIR" })]);
    if (!global.quiet) io.stderr(INTRODUCTION);
    const folder = await createDemoProject();
    const cleanUp = () => {
      if (keep) return;
      removeEntriesOf(`${folder}/${DEMO_WORKDIR}`);
      Deno.removeSync(folder, { recursive: true });
    };
    const unregister = io.onForcedExit(cleanUp);
    try {
      // The demo is the same for everybody: no variable of the person's own configures it.
      const plan = toRunPlan(await loadConfig({ path: DEMO_CONFIG_FILE, cwd: folder, env: () => undefined }));
      const tmux = { ...plan.tmux, socket: basename(folder) };
      const before = await Deno.readTextFile(`${plan.workdir}/${CHANGED_FILE}`);
      const origin = { configFile: `${folder}/${DEMO_CONFIG_FILE}`, cwd: folder, flags: {} };
      const facts: ReviewFact[] = [];
      const execute = (options: ReviewRunOptions) =>
        executeReviewRun(origin, {
          ...options,
          onEvent(fact) {
            facts.push(fact);
            options.onEvent?.(keep ? fact : withoutResume(fact));
          },
        });
      const tellWhatIsKept = async () => {
        if (!keep) return;
        // It can be resumed.
        await recordWritten(io, { path: origin.configFile });
        io.stderr(await whatIsKept(folder));
      };
      const exitCode = await executeReview({ ...plan, tmux, cleanupOnExit: !keep }, {
        io,
        global,
        execute,
        leavesNothing: !keep,
      })
        .finally(tellWhatIsKept);
      if (!global.quiet) {
        const after = await Deno.readTextFile(`${plan.workdir}/${CHANGED_FILE}`);
        const file = { name: CHANGED_FILE, before, after };
        const options = { next: nextCommands(startOfThis(io), keep), color: global.color.stderr };
        io.stderr(`${demoSummary({ file, facts }, options).join("\n")}\n`);
      }
      return exitCode;
    } finally {
      unregister();
      cleanUp();
    }
  },
});

const INTRODUCTION =
  "Five replayed agents teach a small script to greet more than one person.\nNo model, no network.\n";

/** A fact of a run whose folder is about to go: nothing resumes it. */
function withoutResume(fact: ReviewFact): ReviewFact {
  if (fact.type !== "run_finished") return fact;
  const { resumeCommand: _, ...end } = fact;
  return end;
}

const CHANGED_FILE = "greet.sh";

function nextCommands(start: Start, keep: boolean): NextCommands {
  const again = taskInForm(["demo", "--keep"], start) ?? commandInForm(["demo", "--keep"], start);
  return [
    ...(keep ? [] : [["The demo again, with its journal, responses and panes to look at afterwards", again] as const]),
    [
      "Your own job, in your project's folder",
      commandInForm(["init"], start),
      "$EDITOR job.md",
      commandInForm(["doctor"], start),
      commandInForm(["run"], start),
    ],
  ];
}

async function whatIsKept(folder: string): Promise<string> {
  const archived: string[] = [];
  for await (const { path } of walk(`${folder}/project/.panewright`, { exts: [".md"], includeDirs: false })) {
    if (basename(dirname(path)) === "responses") archived.push(path);
  }
  const archive = archived[0]?.slice(0, archived[0].lastIndexOf("/"));
  return [
    `Kept: ${folder}`,
    `  the configuration: ${DEMO_CONFIG_FILE}, the job: job.md, what the agents play: replay.json`,
    ...(archive === undefined ? [] : [`  ${plural(archived.length, "response")}: ${archive.slice(folder.length + 1)}`]),
    `Take it away with: ${tmuxCommand(basename(folder))} kill-server; rm -r ${shellQuote(folder)}`,
    "",
  ].join("\n");
}
