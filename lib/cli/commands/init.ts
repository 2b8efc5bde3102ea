import { exists } from "@std/fs";
import { dirname, resolve } from "@std/path/posix";
import { DEFAULT_CONFIG_FILE } from "../../config/default_file.ts";
import { configTemplate, type StepTemplate } from "../../config/template.ts";
import { UsageError } from "../../errors.ts";
import { findStepProvider, PROVIDER_IDS, PROVIDERS } from "../../providers/mod.ts";
import { EXPLORE_HEADER, SCENARIO_HEADER } from "../../jobs/review_loop/job.ts";
import { offeredSettings, PERMISSION_OFFERS, type PermissionOffer } from "../../config/permission_offers.ts";
import { findProgram } from "../doctor_checks.ts";
import { findTestCommand } from "../find_test_command.ts";
import { askLine } from "../console/ask_line.ts";
import { type CliIo, defineCommand, type GlobalFlags } from "../console/command.ts";
import { isAtTerminal, recordWritten } from "../trust.ts";
import { jsonLine, sanitizeLine } from "../../text/sanitize.ts";
import { errorText } from "../../text/error_text.ts";

const JOB_FILE = "job.md";
const TASK_FILE = "task.md";

/** A task to start from. */
export const TASK_TEMPLATE =
  `Say here what is to be done: the goal, the files that are concerned, what must not change, and how one sees that it is
done. The agent gets this text as its task.
`;

/** A job to start from, with both sections that a job needs. */
export const JOB_TEMPLATE = `What stands above the first section is for you: a title, a ticket number, notes.

${EXPLORE_HEADER}
Say here what is to be done and what is known about it: the goal, the files and modules that are concerned, decisions
that are already taken, what must not change. The analyst turns this into a plan, and the programmer works by it.

${SCENARIO_HEADER}
Say here how the tester can see that it is done: the commands to run and what they must show, step by step. The
programmer sees this section but may not change it; the tester ends with PASS only if every step holds.
`;

/** `panewright init`. */
export const command = defineCommand({
  description:
    `Writes ${DEFAULT_CONFIG_FILE}, in which every setting is explained, and ${JOB_FILE}, the text that tells the agents ` +
    `what to do; with --exec, a pipeline and ${TASK_FILE}. Fill in the job or the task, then run it: what was written is ` +
    "trusted. Files that are already there are not touched.",
  arguments: [{ name: "DIR", description: "the folder to write to; the working directory if left out" }],
  flags: [
    { name: "provider", type: "choice", choices: PROVIDER_IDS, description: "the agent CLI that the config names" },
    {
      name: "permissions",
      type: "choice",
      choices: PERMISSION_OFFERS,
      description: "how agents work that nobody watches: by an allow list, or in the sandbox of their CLI",
    },
    {
      name: "exec",
      type: "switch",
      description: `for "panewright exec": a pipeline of one step for the agent CLI that is there, and ${TASK_FILE}`,
    },
    { name: "force", type: "switch", description: "write over files that are already there" },
  ],
  examples: [
    { command: "init", description: "a config and a job in the working directory" },
    { command: "init --permissions sandbox", description: "for agents that run in the sandbox of their CLI" },
    { command: "init --exec", description: "a pipeline, for one task after the other without panes" },
    { command: "init ~/jobs/login --provider claude_code", description: "in another folder, for Claude Code" },
  ],
  async run(parsed, io) {
    const folder = resolve(io.cwd, parsed.positionals[0] ?? ".");
    const { exec = false, force = false } = parsed.flags;
    const provider = parsed.flags.provider ?? (exec ? providerThere(io) : undefined) ?? PROVIDER_IDS[0] ?? "";
    const permissions = parsed.flags.permissions ?? await choosePermissions(io, parsed.global);
    const [about, text] = exec ? [TASK_FILE, TASK_TEMPLATE] : [JOB_FILE, JOB_TEMPLATE];
    const how = exec ? { step: await stepFor(provider, { folder, permissions }) } : { prompt_file: JOB_FILE };
    const files = [
      { path: `${folder}/${DEFAULT_CONFIG_FILE}`, text: configTemplate({ provider, wd: ".", permissions, ...how }) },
      { path: `${folder}/${about}`, text },
    ];
    if (!force) await refuseExisting(files.map(({ path }) => path));
    await writeAll(files, { folder, force });
    const problem = await recordWritten(io, {
      path: `${folder}/${DEFAULT_CONFIG_FILE}`,
      stillToWrite: [about],
    });
    for (const { path } of files) {
      io.stdout(parsed.global.json ? jsonLine({ type: "file_written", path }) : `wrote ${path}\n`);
    }
    if (!parsed.global.json && !parsed.global.quiet) {
      const next = exec
        ? `describe the task in ${TASK_FILE}, see what would be done with "panewright exec ${TASK_FILE} --dry-run", then ` +
          `"panewright exec ${TASK_FILE}"`
        : `describe the job in ${JOB_FILE}, check the machine with "panewright doctor", then "panewright run"`;
      io.stdout(`\nNext: ${next}.\n`);
    }
    if (problem !== undefined) io.stderr(`panewright: it is not trusted yet: ${sanitizeLine(problem)}\n`);
    return 0;
  },
});

/** The first provider whose CLI can run a step here; `undefined` where there is none. */
function providerThere(io: CliIo): string | undefined {
  const searchPath = io.env("PATH") ?? "";
  return PROVIDERS.find(({ headless, cli }) =>
    headless !== undefined && cli !== undefined && findProgram(cli.program, { folder: io.cwd, searchPath })
  )?.id;
}

async function stepFor(
  provider: string,
  { folder, permissions }: { readonly folder: string; readonly permissions: PermissionOffer },
): Promise<StepTemplate> {
  const { argsToWork } = findStepProvider(provider).headless;
  const sandbox = offeredSettings(permissions).topLevel?.["sandbox"] !== undefined;
  return {
    check: testCommandOf(folder),
    args: argsToWork?.({ isRepository: await isRepository(folder), sandbox }) ?? [],
  };
}

/** The project's test command; `undefined` where its files do not name just one. */
function testCommandOf(folder: string): string | undefined {
  try {
    return findTestCommand(folder).command;
  } catch (error) {
    if (error instanceof UsageError) return undefined;
    throw error;
  }
}

/** Whether the folder, or one above it, has a `.git`. */
async function isRepository(folder: string): Promise<boolean> {
  for (let at = folder;; at = dirname(at)) {
    if (await exists(`${at}/.git`)) return true;
    if (at === dirname(at)) return false;
  }
}

/** Asks at a terminal; elsewhere it is the allow list, which needs nothing of the machine. */
async function choosePermissions(io: CliIo, { json, quiet }: GlobalFlags): Promise<PermissionOffer> {
  const [standard] = PERMISSION_OFFERS;
  if (json || quiet || !isAtTerminal(io)) return standard;
  using input = io.openTerminalInput();
  const line = await askLine(QUESTION, { io, input }) ?? "";
  const answer = line.trim();
  if (answer === "") return standard;
  const chosen = PERMISSION_OFFERS.find((offer, index) => answer === offer || answer === String(index + 1));
  if (chosen !== undefined) return chosen;
  throw new UsageError(`Cannot choose ${JSON.stringify(answer)}: it is neither 1 nor 2`, {
    hint: "Nothing was written.",
  });
}

const QUESTION = `How may agents work while nobody watches?

  1  allow list  What a list names is accepted, and you are asked about the rest. It reads what an agent asks for; what an
                 accepted command then does, nobody reads. Works on every machine.
  2  sandbox     The operating system keeps commands inside the working directory and off the network; inside, all of
                 them are accepted. Needs the sandbox of the agent's CLI: "panewright doctor" tells whether it is there.

Your choice [1]: `;

async function refuseExisting(paths: readonly string[]): Promise<void> {
  const existing: string[] = [];
  for (const path of paths) {
    try {
      await Deno.lstat(path);
      existing.push(path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
  }
  if (existing.length === 0) return;
  throw new UsageError(`Cannot write ${existing.join(" and ")}: already there`, {
    hint: "Nothing was written. Name another folder, or use --force to write over what is there.",
  });
}

async function writeAll(
  files: readonly { readonly path: string; readonly text: string }[],
  options: { readonly folder: string; readonly force: boolean },
): Promise<void> {
  const { folder, force } = options;
  try {
    await Deno.mkdir(folder, { recursive: true });
    for (const { path, text } of files) await Deno.writeTextFile(path, text, { createNew: !force });
  } catch (cause) {
    throw new UsageError(`Cannot write to ${folder}: ${errorText(cause)}`, { cause });
  }
}
