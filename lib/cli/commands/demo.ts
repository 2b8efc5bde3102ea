import { basename, dirname } from "@std/path/posix";
import { walk } from "@std/fs";
import { loadConfig } from "../../config/load.ts";
import { toRunPlan } from "../../config/plan.ts";
import { shellQuote } from "../../shell/quote.ts";
import { tmuxCommand } from "../../tmux/server.ts";
import { defineCommand } from "../console/command.ts";
import { createDemoProject, DEMO_CONFIG_FILE } from "../demo_project.ts";
import { executeReview } from "./run.ts";
import { executeReviewRun, type ReviewRunOptions } from "../../jobs/review_loop/execute.ts";
import { recordWritten } from "../trust.ts";
import { plural } from "../show/words.ts";

/** `panewright demo`: the review loop in real tmux panes, with agents that play their part by a script. */
export const command = defineCommand({
  description:
    "Shows the review loop at work in about half a minute: five agents in real tmux panes teach a small script " +
    "to greet more than one person. Their first try fails its test, the second one passes. The agents are replayed, so " +
    "the demo needs no key, no network and no agent CLI, only tmux.",
  flags: [
    { name: "keep", type: "switch", description: "keep the demo's folder and the agents' panes afterwards" },
  ],
  examples: [
    { command: "demo", description: "watch how a job is passed from role to role" },
    { command: "demo --keep", description: "look at the job, the responses and the panes afterwards" },
  ],
  async run({ flags, global }, io) {
    const keep = flags.keep === true;
    if (!global.quiet) io.stderr(INTRODUCTION);
    const folder = await createDemoProject();
    const cleanUp = () => keep || Deno.removeSync(folder, { recursive: true });
    const unregister = io.onForcedExit(cleanUp);
    try {
      // The demo is the same for everybody: no variable of the person's own configures it.
      const plan = toRunPlan(await loadConfig({ path: DEMO_CONFIG_FILE, cwd: folder, env: () => undefined }));
      const tmux = { ...plan.tmux, socket: basename(folder) };
      const origin = { configFile: `${folder}/${DEMO_CONFIG_FILE}`, cwd: folder, flags: {} };
      const execute = (options: ReviewRunOptions) => executeReviewRun(origin, options);
      const exitCode = await executeReview({ ...plan, tmux, cleanupOnExit: !keep }, { io, global, execute });
      // What is kept can be resumed.
      if (keep) await recordWritten(io, { path: origin.configFile });
      if (keep || !global.quiet) io.stderr(await summarise(folder, keep));
      return exitCode;
    } finally {
      unregister();
      cleanUp();
    }
  },
});

const INTRODUCTION = "Five replayed agents teach a small script to greet more than one person. No model, no network.\n";

/** What the demo leaves to look at. */
async function summarise(folder: string, keep: boolean): Promise<string> {
  const archived: string[] = [];
  for await (const { path } of walk(`${folder}/project/.panewright`, { exts: [".md"], includeDirs: false })) {
    if (basename(dirname(path)) === "responses") archived.push(path);
  }
  const responses = plural(archived.length, "response");
  if (!keep) {
    return `The agents' ${responses} were archived, each as it was written; the demo's folder is gone again.\n` +
      "To look at them, the journal and the panes afterwards: panewright demo --keep\n";
  }
  const archive = archived[0]?.slice(0, archived[0].lastIndexOf("/"));
  return [
    `Kept: ${folder}`,
    `  the configuration: ${DEMO_CONFIG_FILE}, the job: job.md, what the agents play: replay.json`,
    ...(archive === undefined ? [] : [`  ${responses}: ${archive.slice(folder.length + 1)}`]),
    `Take it away with: ${tmuxCommand(basename(folder))} kill-server; rm -r ${shellQuote(folder)}`,
    "",
  ].join("\n");
}
