import { SANDBOXES, SHOWN, SHOWN_MEANS } from "../../base/terms.ts";
import * as z from "zod";
import { AGENT_FACTS } from "../../base/activity.ts";
import { PROGRESS } from "../../journal/progress.ts";
import { waiting, waitingDialog } from "../../journal/waiting.ts";
import { CONDITIONS } from "../../run/condition.ts";
import { JOB_IDS } from "../../journal/run_facts.ts";
import { ACP_ACTIVITIES } from "../../agents/acp/activity.ts";
import { kindsOf, objectAt } from "./records.ts";
import { count, flag, output, roleName, runId, text, time } from "./shapes.ts";

export const condition = z.enum(CONDITIONS).describe(
  "How the run is, in one word; `panewright help runs` explains them.",
);

const question = {
  run: runId,
  id: text("Unique in its run; `panewright answer RUN --question ID` takes it."),
  task: text("The path of the step's task; `review loop` for a dialog."),
  step: text("The step, or the role, that asks."),
  text: text("What is asked."),
  askedAt: time("When"),
  answered: flag("Whether it is answered, and the run can continue."),
  executed: flag("Whether a process executes the run."),
  shown: z.enum(SHOWN).describe(SHOWN_MEANS),
  reserved: flag("Whether only a person may answer it, and no model.").optional(),
  dialog: objectAt(waitingDialog, "waiting.dialog").extend({ role: z.string() }).describe(
    "What a dialog asks for; missing for a question.",
  ).optional(),
};

export const RUN_OUTPUTS = {
  run: output("A run of the working directory.", {
    run: runId,
    job: z.enum(JOB_IDS).nullable(),
    state: condition,
    executed: flag("Whether a process executes it."),
    startedAt: time("When it began").nullable(),
    lastRecordAt: time("When its last record was written").nullable(),
    about: text("What the agents are to do, in one line.").optional(),
    question: text("The id of the question that is open; null where only the agent's pane takes the answer.")
      .nullable().optional(),
    answered: flag("Whether that question has its answer.").optional(),
    agentsAlive: flag("Whether agents are left of a run that was killed.").optional(),
    reason: text("Why it ended as it did.").optional(),
    problem: text("Why it cannot be read.").optional(),
    folder: text("Its folder."),
  }),
  status: output("How a run is.", {
    run: runId,
    state: condition,
    folder: text("Its folder."),
    executed: flag("Whether a process executes it."),
    owner: text("Who executes it: `process 1234`, `job anna.fix-it of a fleet`.").optional(),
    agentsAlive: flag("Whether anything is alive that came out of its agents."),
    progress: objectAt(PROGRESS).describe(
      "What the journal tells; null where nothing was written down, or can be read.",
    )
      .nullable(),
    agents: z.array(z.object({
      role: z.string(),
      provider: z.string(),
      protocol: z.enum(["acp", "process"]).describe("How it is driven; missing where it is in a pane.").optional(),
      terminalId: z.string().optional(),
      pid: z.int().describe("Of its process, where it has no pane.").optional(),
      sessionId: z.string().optional(),
      alive: z.boolean(),
    })).describe("The agents of a review loop.").optional(),
    question: objectAt(waiting, "waiting").extend({ answered: z.boolean(), answerCommand: z.string().optional() })
      .describe("What waits for a person, with the command that answers it.").optional(),
    commands: z.object({
      resume: z.string().optional(),
      attach: z.string().optional(),
      attachTmux: text("As tmux itself is called.").optional(),
      stop: z.string().optional(),
      logs: z.string().optional(),
    }).describe("What can be done now, as command lines."),
    problem: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
    summary: z.record(z.string(), z.unknown()).nullable().optional()
      .describe("The progress in the names of an earlier version; read `progress` instead."),
  }),
  question: output("A question, or a dialog, that waits for a person.", question),
  run_detached: output("A run that lives on without the process that has started it.", {
    run: runId,
    folder: text("The run's folder, absolute."),
    isNew: flag("Whether this call has begun it; otherwise an earlier one with the same key has."),
  }),
  run_planned: output("A run that the system's own timers begin.", {
    when: text("When, for people."),
    takenBackBy: text("The command that takes it back."),
    line: text("The line in this person's crontab.").optional(),
    log: text("The file that what it says then is in, absolute."),
  }),
  answer_recorded: output("An answer was taken.", {
    run: runId,
    question: text("What was answered."),
    goesOn: flag("Whether a process executes the run, and continues by itself."),
    notResumed: text("Why the run could not be resumed, although its answer was to start it.").optional(),
  }),
  message_left: output("A message for an agent was left.", {
    run: runId,
    message: text("Its id: records of the run name it, and so does `status`."),
    role: roleName,
    isNew: flag("False where a message with the same key had been left before."),
    goesOn: flag("Whether a process executes the run, and takes it."),
  }),
  message_outcome: output("How a message fared that was waited for.", {
    run: runId,
    message: text("Its id."),
    role: roleName,
    status: z.enum(["answered", "failed"]),
    reason: text("Why it has failed.").optional(),
    response: text("What the agent has answered; missing where no response was wanted.").optional(),
    archivedAs: text("The file with the response.").optional(),
  }),
  run_stopped: output("What was done to stop a run.", {
    run: runId,
    pid: z.int().nullable().describe("The process that executed it; null where none did."),
    endedAgents: flag("Whether agents were ended whose panewright was gone."),
    agentsAlive: flag("Whether agents are still alive."),
    state: condition,
    resumeCommand: text("Resumes it; missing where it is over.").optional(),
  }),
  serving: output("A server listens, until it is interrupted.", {
    address: text("Where; missing on a socket.").optional(),
    socket: text("The path of its socket.").optional(),
    tokenFile: text("The file with the token that clients need."),
    workdirs: z.array(z.string()).describe("The working directories whose runs it serves."),
  }),
  invited: output("Somebody may use the server, or may not any more.", {
    who: text("Their name."),
    token: text("Theirs; missing where it was taken back.").optional(),
    address: text("Of the server's pages, with the token.").optional(),
  }),
  attach_command: output("How the agents of a run are looked at.", { run: runId, command: text("A command line.") }),
  removed: output("A run that was removed, or would be.", {
    run: runId,
    state: condition,
    bytes: count("How large its folder was."),
    dryRun: flag("Whether it was only looked for."),
  }),
  cleaned: output("What a cleaning came to.", {
    runs: count("How many runs were removed."),
    bytes: count("How large they were."),
    kept: z.record(z.string(), z.int()).describe("How many old runs were kept, by the reason."),
    dryRun: flag("Whether nothing was removed."),
  }),
  workspace: output("A clone in which agents work apart from a checkout.", {
    name: text("`panewright apply NAME` brings what was changed in it into the checkout."),
    origin: text("The folder that it is of."),
    workdir: text("That folder in the clone: what commands about its runs take as `--wd`."),
    tree: text("The clone."),
    base: text("The commit that it began with: the checkout as it was."),
    madeAt: time("When it was made"),
    brought: z.array(z.string()).describe("What git ignores and it has a copy of."),
    bytes: count("How much it takes on the disk; missing where that is not told.").optional(),
    run: text("The newest run in it; missing where none has begun.").optional(),
  }),
  workspace_result: output("What was changed in a workspace, or in the checkout itself.", {
    name: text("Of the workspace; the run's id where it worked in the checkout itself."),
    ref: text("The ref of the checkout's repository that holds it; missing where that is the checkout itself.")
      .optional(),
    commit: text("What that is: one commit after `base`."),
    files: z.array(z.object({
      path: text("Below the top of the repository."),
      added: count("Lines; missing where it is no text.").optional(),
      removed: count("Lines; missing where it is no text.").optional(),
    })),
    inner: z.array(z.string()).describe(
      "What is in no commit: repositories that were made in it, and what git may not read.",
    ),
  }),
  workspace_applied: output("What was brought out of a workspace.", {
    name: z.string(),
    files: z.array(z.string()).describe("The files that were written; none where all of it was there."),
    branch: text("The branch that it is; missing where the checkout has it.").optional(),
    apart: z.array(z.string()).optional()
      .describe("Repositories in it, which were made or are at another commit: they stay in the workspace."),
  }),
  workspace_delivered: output("What was done in a workspace is a pull or merge request.", {
    name: z.string(),
    branch: text("Its branch, here and there."),
    remote: z.string(),
    url: text("What the program that opened it has said last: its address."),
  }),
  workspace_turn: output("What was in a workspace after a turn.", {
    name: z.string(),
    number: count("From 1."),
    of: text("Whose turn it was."),
    commit: text("In panewright's own store of the repository."),
    at: time("When it was kept"),
    patch: text("What it has changed, as a patch of git; with --turn.").optional(),
  }),
  workspace_discarded: output("A workspace was removed.", {
    name: z.string(),
    ref: text("What keeps all that was done in it."),
    commit: z.string(),
    commits: z.array(z.string()).describe("Refs that keep the commits and stashes that agents have made in it."),
  }),
  task_preview: output("What a run would do with a task (`exec --dry-run`).", {
    file: text("Its path."),
    text: text("The task itself, where it is in no file.").optional(),
    pipeline: z.string(),
    passedBy: text("The run that has passed it before, where it would be left out.").optional(),
    steps: z.array(z.object({
      name: z.string(),
      provider: z.string(),
      model: z.string().optional(),
      autonomyLevel: z.int(),
      argv: z.array(z.string()).describe("How its first agent is started; `RUN` stands for the run's id."),
      prompt: text("The prompt of its first attempt."),
      sandbox: z.enum(SANDBOXES),
      permissions: z.enum(["policy", "person", "dry_run"]).describe("Who decides about what needs a permission."),
      allowWrite: z.array(z.string()).optional(),
      checks: z.array(z.string()),
      needs: z.array(z.string()).describe("The steps that come before it, where they form a graph.").optional(),
      onlyIf: z.object({ failedAttempts: z.int().optional(), changedLines: z.int().optional() })
        .describe("What of the steps before it calls for it; otherwise it is passed over.").optional(),
      next: z.object({ pass: z.string().optional(), fail: z.string().optional(), maxRepeats: z.int() }).optional(),
      retry: count("How often a failed attempt is tried again."),
      timeLimitSeconds: z.number(),
    })),
  }),
  agent_activity: output("What the agent of a step says or does; told by `exec`, and not kept in the journal.", {
    at: time("When"),
    task: count("The task, from 1."),
    step: count("The step, from 1."),
    attempt: count("The attempt, from 1."),
    fact: kindsOf(AGENT_FACTS),
  }),
  role_activity: output(
    "What the agent of a role does that works over ACP (`logs --role`); the journal has none of it.",
    {
      run: runId,
      role: roleName,
      at: time("When"),
      activity: kindsOf(ACP_ACTIVITIES).describe("What it does."),
    },
  ),
} as const;
