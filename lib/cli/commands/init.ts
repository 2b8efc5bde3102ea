import { resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../../config/default_file.ts";
import { offeredSettings, PERMISSION_OFFERS } from "../../config/permission_offers.ts";
import { shortTemplate } from "../../config/short_template.ts";
import { fullTemplate, type TemplateValues } from "../../config/template.ts";
import { PanewrightError, UsageError } from "../../base/errors.ts";
import { TASK_TEMPLATE } from "../../jobs/pipeline/task_template.ts";
import { JOB_TEMPLATE } from "../../jobs/review_loop/job_template.ts";
import { lstatOrUndefined } from "../../base/ports/files.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { findStepProvider, PROVIDERS } from "../../agents/mod.ts";
import { makePanewrightFolder } from "../../run/run_folder.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { NO_INPUT_FLAG } from "../carry_out.ts";
import { choiceFlag, type CliIo, defineCommand, switchFlag, textFlag } from "../console/command.ts";
import { chooseForInit, chosenAgent, type InitChoices, NO_TEST_COMMAND } from "../init/choices.ts";
import { ignoreWhatRunsLeave, isRepository } from "../init/git_ignore.ts";
import { EDITOR_SCHEMA, writeEditorSchema } from "../editor_schema.ts";
import { outputLine } from "../../api/output/line.ts";
import { isAtTerminal, recordWritten } from "../trust.ts";

const JOB_FILE = "job.md";
const TASK_FILE = "task.md";

/** Those that have a program: a config that is written by itself works without a `command` in it. */
const INSTALLED_IDS = PROVIDERS.filter(({ cli }) => cli !== undefined).map(({ id }) => id);

export const command = defineCommand({
  arguments: [{ name: "DIR", description: "the folder to write to; the working directory if left out" }],
  flags: {
    provider: choiceFlag(
      INSTALLED_IDS,
      `the agent that does the work (by default the one that is installed): ${INSTALLED_IDS.join(", ")}`,
      { placeholder: "ID" },
    ),
    permissions: choiceFlag(
      PERMISSION_OFFERS,
      "how agents work unattended: in a sandbox (by default, where this machine can), or with an allow list",
    ),
    "test-cmd": textFlag(
      "COMMAND",
      `the command that tests the project (by default the one that its files name); "${NO_TEST_COMMAND}" if there is none`,
    ),
    exec: switchFlag(`for "panewright exec": a pipeline of one step, and ${TASK_FILE}`),
    full: switchFlag("write every key, each with its meaning"),
    "no-gitignore": switchFlag("do not change .gitignore"),
    "no-input": { ...NO_INPUT_FLAG, description: "ask nothing at this terminal: take the suggestions" },
    force: switchFlag("write over files that are already there"),
  },
  async run({ positionals, flags, global }, io) {
    const folder = resolve(io.cwd, positionals[0] ?? ".");
    const { exec = false, full = false, force = false, "no-gitignore": noGitIgnore = false } = flags;
    const config = `${folder}/${DEFAULT_CONFIG_FILE}`;
    const [about, text] = exec ? [TASK_FILE, TASK_TEMPLATE] : [JOB_FILE, JOB_TEMPLATE];
    if (!force) refuseExisting([config, `${folder}/${about}`]);
    const choices = await chooseForInit(
      { provider: flags.provider, permissions: flags.permissions, testCommand: flags["test-cmd"] },
      {
        io,
        folder,
        mayAsk: flags["no-input"] !== true && !global.json && !global.quiet && isAtTerminal(io),
      },
    );
    const inRepository = isRepository(folder);
    const values = exec ? pipelineValues(choices, { inRepository }) : loopValues(choices);
    const files = [
      { path: config, text: full ? fullTemplate(values) : shortTemplate(values) },
      { path: `${folder}/${about}`, text },
    ];
    const ignored = await writeAll(files, { folder, force, ignore: inRepository && !noGitIgnore });
    const problem = await recordWritten(io, { path: config });
    for (const { path } of [...files, ...(ignored ? [{ path: `${folder}/.gitignore` }] : [])]) {
      io.stdout(global.json ? outputLine("file_written", { path }) : `wrote ${sanitizeLine(path)}\n`);
    }
    if (!global.json && !global.quiet) {
      io.stdout(`\n${summary(choices, io)}\n\n${nextSteps(exec, folder === io.cwd ? undefined : folder)}\n`);
    }
    if (problem !== undefined) io.stderr(`panewright: it is not trusted yet: ${sanitizeLine(problem)}\n`);
    return 0;
  },
});

function loopValues({ provider, permissions, testCommand, installHosts }: InitChoices): TemplateValues {
  return {
    $schema: EDITOR_SCHEMA,
    provider,
    prompt_file: JOB_FILE,
    permissions,
    hosts: installHosts.map(({ host }) => host),
    ...(testCommand === undefined ? {} : { project_test_cmd: argvIfPlain(testCommand) }),
  };
}

function pipelineValues(
  { provider, permissions, testCommand, installHosts }: InitChoices,
  { inRepository }: { readonly inRepository: boolean },
): TemplateValues {
  const { argsToWork } = findStepProvider(provider).headless ?? {};
  const sandbox = offeredSettings(permissions).topLevel?.["sandbox"] !== undefined;
  const args = argsToWork?.({ isRepository: inRepository, sandbox }) ?? [];
  const hosts = installHosts.map(({ host }) => host);
  return { $schema: EDITOR_SCHEMA, provider, permissions, hosts, step: { check: testCommand, args } };
}

/** The words of a command that needs no shell: whether its program is there can be seen before a run. */
function argvIfPlain(command: string): string | readonly string[] {
  return /^[\w./-]+(?: [\w@%+=:,./-]+)*$/.test(command) ? command.split(" ") : command;
}

function summary(
  { provider, permissions, testCommand, testFiles, foundTestCommands, installHosts }: InitChoices,
  io: CliIo,
): string {
  const unknown = foundTestCommands.length > 1
    ? `${foundTestCommands.join(" or ")} may be meant: name it in the config`
    : "none is known: name the command in the config";
  return [
    `agents       ${chosenAgent(provider, io)}`,
    `tests        ${testCommand ?? unknown}`,
    ...(testFiles === undefined ? [] : [`test files   ${testFiles}`]),
    `permissions  ${permissions === "sandbox" ? sandboxWords(installHosts) : "an allow list"}`,
  ].map((line) => sanitizeLine(line)).join("\n");
}

function sandboxWords(hosts: InitChoices["installHosts"]): string {
  const sandbox = "a sandbox around agents, tests and checks";
  if (hosts.length === 0) return `${sandbox}; name the hosts that you install from in sandbox_network`;
  return `${sandbox}, which lets ${hosts.map(({ host, file }) => `${host} (${file})`).join(", ")} through`;
}

/** @param folder where it is not the working directory */
function nextSteps(exec: boolean, folder: string | undefined): string {
  const next = folder === undefined ? "Next" : `Next, in ${sanitizeLine(folder)}`;
  return exec
    ? `${next}: describe the task in ${TASK_FILE}, see what would be done with "panewright exec ${TASK_FILE} --dry-run", then ` +
      `"panewright exec ${TASK_FILE}".`
    : `${next}: describe the job in ${JOB_FILE}, check the machine with "panewright doctor", then "panewright run".`;
}

function refuseExisting(paths: readonly string[]): void {
  const existing = paths.filter((path) => lstatOrUndefined(path) !== undefined);
  if (existing.length === 0) return;
  throw new UsageError(`Cannot write ${existing.join(" and ")}: already there`, {
    hint: "Nothing was written. Name another folder, or use --force to write over what is there.",
  });
}

async function writeAll(
  files: readonly { readonly path: string; readonly text: string }[],
  { folder, force, ignore }: { readonly folder: string; readonly force: boolean; readonly ignore: boolean },
): Promise<boolean> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    await makePanewrightFolder(folder);
    const added = ignore ? ignoreWhatRunsLeave(folder) : [];
    for (const { path, text } of files) {
      if (force) await replaceFile(path, text, { mode: 0o666 });
      else await Deno.writeTextFile(path, text, { createNew: true });
    }
    await writeEditorSchema(folder);
    return added.length > 0;
  } catch (cause) {
    if (cause instanceof PanewrightError) throw cause;
    throw new UsageError(`Cannot write to ${folder}: ${errorText(cause)}`, { cause });
  }
}
