import * as z from "zod";
import { PERMISSION_DECISIONS } from "../../policy/mod.ts";
import { CHANNEL_IDS } from "../../run/notify/channel.ts";
import { ERROR_CODES } from "../../base/errors.ts";
import { count, flag, output, runId, text, time } from "./shapes.ts";

const auditRecord = {
  at: time("When it was written"),
  run: runId,
  seq: count("From 1, without gaps."),
  prev: text("The hash of the record before."),
  hash: text("The SHA-256 of all other fields that the log has, in canonical JSON; `type` is one of them, `v` is not."),
};

const auditVerified = {
  run: runId,
  file: text("The path of the log."),
  intact: flag("Whether it is as it was written."),
  records: count("How many records are as they were written."),
  line: count("The line of the first record that is not.").optional(),
  problem: text("What is wrong, as the rest of a sentence.").optional(),
  torn: flag("Whether one more record was begun and not finished.").optional(),
  head: text("The last hash; null where there is none.").nullable().optional(),
  journal_heads: count("With how many heads in the journal it was compared.").optional(),
  journal_records: count("How many records the journal has, as they were written.").optional(),
  journal_proven: flag("Whether it lies where no agent in a sandbox can write.").optional(),
  copy: text("The copy in your state folder; null where none is kept.").nullable().optional(),
  copy_heads: count("With how many heads there it was compared.").optional(),
};

const flagOrArgument = {
  name: z.string(),
  description: z.string(),
  choices: z.array(z.string()).describe("The words that it may be.").optional(),
  completes: z.array(z.string()).describe("What a shell offers for it.").optional(),
};

export const CONFIG_OUTPUTS = {
  finding: output("Something that was looked at.", {
    check: text("What: `tmux`, `Codex`, `config`."),
    status: z.enum(["ok", "warn", "fail"]).describe("`fail`: a run cannot work. `warn`: it may not."),
    detail: text("What was found."),
    remedy: text("What to do about it.").optional(),
  }),
  agent: output("An agent that a configuration may name as a provider.", {
    id: text("What a configuration calls it."),
    label: text("What people call it."),
    state: z.enum(["ready", "unclear", "unusable", "absent"]).describe(
      "`unclear`: it is there, and nothing shows a login, or it was not asked. `unusable`: too old, broken, or not logged in.",
    ),
    from: z.enum(["panewright", "config"]).describe("Who describes it: panewright itself, or the configuration."),
    over: z.enum(["cli", "acp"]).describe(
      "How it is driven: by its CLI, in panes and without, or over the Agent Client Protocol.",
    ),
    program: text("What is looked up on PATH; null where a configuration names a command.").nullable(),
    version: text("Three numbers; null where it is not known.").nullable(),
    login: text("What is known of its login; null where nothing is.").nullable(),
    problem: text("Why it cannot be used.").optional(),
    remedy: text("What to do about it, or how it is installed.").optional(),
    roles: flag("Whether it can play a role of the review loop."),
    steps: flag("Whether it can run steps of a pipeline."),
    sandbox: flag("Whether it brings a sandbox."),
    inside: flag("Whether it works in a sandbox around it."),
    tokens: flag("Whether it tells of the tokens that it used."),
    cost: flag("Whether it tells what it cost."),
    resumes: flag("Whether its sessions can be continued in a new process."),
    asks: z.enum(["always", "changes", "unknown"]).describe(
      "Before what it asks: before all that it does, where it believes that something would change, or that is not known.",
    ),
  }),
  sandbox: output("What a sandbox around an agent, or around the project's commands, lets through.", {
    name: text("A role, a step as `main/build`, or `command`."),
    writable: z.array(z.string()).describe("Absolute paths."),
    own: z.array(z.string()).describe(
      "Folders that it has to itself: what it writes there is not seen outside, and goes with it.",
    ),
    read_only: z.array(z.string()).describe("What of them can only be read."),
    hidden: z.array(z.string()).describe("What is not there inside."),
    hosts: z.array(z.string()).describe("The hosts that can be reached, some with a port."),
    variables: z.array(z.string()).describe("Names of variables; `*` at the end stands for any."),
  }),
  problem: output("Something that is wrong with the configuration or a task.", {
    level: z.enum(["error", "warning"]),
    where: text("File, line and column, as messages name them; empty where there is no place."),
    message: z.string(),
    line: count("From 1.").optional(),
    column: count("From 1.").optional(),
  }),
  validated: output("What a check of the configuration came to.", {
    errors: count("How many problems keep it from being used."),
    warnings: count("How many do not."),
  }),
  loop: output("Who works on a job, in which order, and what decides.", {
    loop: z.string(),
    maxRounds: count("At most."),
    roles: z.array(z.object({
      role: z.string(),
      provider: z.string(),
      model: z.string().optional(),
      driver: text("What drives its agent."),
      gives: z.enum(["work", "review", "test"]).describe("What it ends with: work that is handed on, or a verdict."),
      back: text("The role that works again after its no.").optional(),
      maxCycles: count("Of a review: how often its author works again in a round, at most.").optional(),
      isolation: z.literal("workspace").optional().describe("Where nothing stays of what it changes in its turns."),
      attempts: count("How often its work is done side by side; missing where that is done once.").optional(),
    })),
    testCommand: text("The project's test command, which decides last; missing where there is none.").optional(),
    mends: text("The role with which the next round begins, where a test has failed."),
  }),
  config: output("The effective configuration.", {
    file: text("The config file; null where there is none.").nullable(),
    workdir: text("The folder in which the agents work."),
    config: z.record(z.string(), z.unknown()).describe("Its values, by the keys of the config file."),
    sources: z.record(z.string(), z.string()).describe("Where each value came from, by its dotted path."),
  }),
  digest: output("What one message tells of all runs.", {
    since: text("What has ended after that is told. ISO 8601."),
    runs: count("How many runs are told; without one, nothing is sent."),
  }),
  notification_tried: output("A message that was sent, to see whether it arrives or as a digest.", {
    channel: z.enum(CHANNEL_IDS),
    where: text("The server, or the program, without what may be secret in an address."),
    problem: text("Why it was not taken; missing where it was.").optional(),
  }),
  outbox_flushed: output("What was done with the messages that a run has left.", {
    run: runId,
    delivered: count("How many were delivered."),
    left: count("How many could not be, and stay."),
    dropped: count("How many nobody needs any more."),
    problems: z.array(z.string()).describe("What went wrong."),
  }),
  file_written: output("A file that was written.", { path: text("Its path.") }),
  trust_item: output("Something that a configuration does on your behalf.", {
    key: text("Its dotted path in the config file."),
    does: text("What it does, as the rest of a sentence that begins with “It”."),
    value: z.unknown().describe("What the file has there."),
    alone: flag("Whether you are asked about it by itself."),
  }),
  trust_file: output("A file that belongs to a configuration.", {
    path: text("Relative to the config file."),
    sha256: text("Hexadecimal; empty where it is missing."),
  }),
  trusted: output("A configuration that you trust.", {
    path: text("Of the config file."),
    trustedAt: time("Since when"),
    files: z.array(z.string()).describe("What belongs to it, relative to it."),
  }),
  trust_removed: output("A configuration that you trust no longer.", { path: text("Of the config file.") }),
  permission_decision: output("How a permission dialog would be answered.", {
    decision: z.enum(PERMISSION_DECISIONS),
    rule: text("Which rule decides."),
    reason: text("A sentence for a person."),
    kind: text("What the dialog asks for."),
    subject: text("The command, or the file."),
    tool: text("The tool, where it was given.").optional(),
  }),
  allow_rule: output("A rule that `permissions.allow_everyday` stands for (`permissions list`).", {
    command: text("A pattern of commands.").optional(),
    path: text("A pattern of paths.").optional(),
    roles: z.array(z.string()).describe("The roles that it is about; missing for all of them.").optional(),
    providers: z.array(z.string()).describe("The providers that it is about.").optional(),
    kinds: z.array(z.string()).describe("The kinds of dialogs that it is about.").optional(),
  }),
  opened: output("The record that opens an audit log.", { ...auditRecord, version: z.int() }),
  decision: output("A decision about a dialog, written before anything is done about it.", {
    ...auditRecord,
    role: text("Whose dialog it was: a role, or a step."),
    terminal: text("The pane; empty where there is none."),
    provider: z.string(),
    kind: text("What the dialog asked for."),
    command: text("The command, or the files; null where the screen does not show them.").nullable(),
    source: text("Where the command comes from, which is then exact.").optional(),
    cwd: text("The folder in which it would run.").optional(),
    decision: z.enum(PERMISSION_DECISIONS),
    rule: text("Which rule decided."),
    reason: z.string(),
    keys: z.array(z.string()).describe("The keys that answer it; empty where nothing is sent."),
    before: z.array(z.string()).describe("The screen's rows."),
  }),
  outcome: output("What a decision came to.", {
    ...auditRecord,
    of: count("The decision's `seq`."),
    result: z.string(),
    after: z.array(z.string()).describe("The screen's rows."),
  }),
  audit_verified: output("Whether an audit log is as it was written.", auditVerified),
  command: output("A command, as `help` explains it.", {
    name: z.string(),
    group: text("What help lists it under; only where all are listed.").optional(),
    summary: z.string(),
    description: text("In paragraphs; only of one command.").optional(),
    arguments: z.array(z.object({ ...flagOrArgument, required: z.boolean().optional(), rest: z.boolean().optional() }))
      .optional(),
    flags: z.array(z.object({
      ...flagOrArgument,
      short: z.string().optional(),
      type: z.enum(["switch", "string", "integer", "number", "choice"]),
      placeholder: z.string().optional(),
      repeatable: z.boolean().optional(),
    })).optional(),
    examples: z.array(z.object({ command: z.string(), description: z.string() })).optional(),
  }),
  completion_script: output("What lets a shell complete command lines of panewright.", {
    shell: z.string(),
    script: text("To be run once by that shell."),
  }),
  man_page: output("A manual page.", { name: text("As in `panewright-run`."), roff: text("For `man`.") }),
  schema: output("A JSON Schema that `schema` prints by its name.", {
    name: z.string(),
    about: text("What it is the schema of."),
  }),
  version: output("The version of panewright, and what it runs on.", {
    version: z.string(),
    deno: z.string(),
    os: z.string(),
    arch: z.string(),
    standalone: flag("Whether it is an executable with the runtime in it."),
  }),
  newest_version: output("Whether there is a newer version of panewright.", {
    version: text("The version of this one."),
    newest: text("The newest one, as npm tells it."),
    isNewer: flag("Whether that is newer."),
  }),
  license: output("The licence of something that panewright contains.", {
    name: z.string(),
    versions: z.array(z.string()),
    license: z.string().optional(),
    text: z.string(),
  }),
  error: output("Why a command could not do what it was told to; printed last, by any command.", {
    message: text("What went wrong."),
    hint: text("What to do about it.").optional(),
    exitCode: z.int().describe("The exit code of the process."),
    code: z.enum(ERROR_CODES).describe("What kind of refusal it is, where programs must tell it from others.")
      .optional(),
  }),
} as const;
