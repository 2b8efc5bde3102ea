import { didYouMean } from "../base/text/suggest.ts";
import { UsageError } from "../base/errors.ts";
import type { CliIo, CommandEntry } from "./console/command.ts";

/** What stands for a task in place of a command. */
const TASK = "task";

const LOADS: Readonly<Record<string, Readonly<Record<string, CommandEntry["load"]>>>> = {
  Start: {
    run: () => import("./commands/run.ts"),
    exec: () => import("./commands/exec.ts"),
    resume: () => import("./commands/resume.ts"),
    stop: () => import("./commands/stop.ts"),
    takeover: () => import("./commands/takeover.ts"),
    adopt: () => import("./commands/adopt.ts"),
    demo: () => import("./commands/demo.ts"),
  },
  Watch: {
    runs: () => import("./commands/runs.ts"),
    status: () => import("./commands/status.ts"),
    show: () => import("./commands/show.ts"),
    evidence: () => import("./commands/evidence.ts"),
    logs: () => import("./commands/logs.ts"),
    attach: () => import("./commands/attach.ts"),
    report: () => import("./commands/report.ts"),
    serve: () => import("./commands/serve.ts"),
  },
  Decide: {
    questions: () => import("./commands/questions.ts"),
    approve: () => import("./commands/approve.ts"),
    deny: () => import("./commands/deny.ts"),
    answer: () => import("./commands/answer.ts"),
    send: () => import("./commands/send.ts"),
  },
  Deliver: {
    diff: () => import("./commands/diff.ts"),
    apply: () => import("./commands/apply.ts"),
    pr: () => import("./commands/pr.ts"),
    reply: () => import("./commands/reply.ts"),
    undo: () => import("./commands/undo.ts"),
    fork: () => import("./commands/fork.ts"),
    discard: () => import("./commands/discard.ts"),
    workspaces: () => import("./commands/workspaces.ts"),
  },
  Fleet: {
    submit: () => import("./commands/submit.ts"),
    worker: () => import("./commands/worker.ts"),
    fleet: () => import("./commands/fleet.ts"),
  },
  "Set up": {
    init: () => import("./commands/init.ts"),
    doctor: () => import("./commands/doctor.ts"),
    trust: () => import("./commands/trust.ts"),
    config: () => import("./commands/config.ts"),
    "show-roles": () => import("./commands/show_roles.ts"),
    validate: () => import("./commands/validate.ts"),
    agents: () => import("./commands/agents.ts"),
    permissions: () => import("./commands/permissions.ts"),
    sandbox: () => import("./commands/sandbox.ts"),
    notify: () => import("./commands/notify.ts"),
    mcp: () => import("./commands/mcp.ts"),
  },
  More: {
    clean: () => import("./commands/clean.ts"),
    audit: () => import("./commands/audit.ts"),
    explain: () => import("./commands/explain.ts"),
    fixtures: () => import("./commands/fixtures.ts"),
    rules: () => import("./commands/rules.ts"),
    record: () => import("./commands/record.ts"),
    fixture: () => import("./commands/fixture.ts"),
    ask: () => import("./commands/ask.ts"),
    schema: () => import("./commands/schema.ts"),
    completion: () => import("./commands/completion.ts"),
    man: async () => ({ command: (await import("./commands/man.ts")).manCommand(COMMANDS, findCommand) }),
    help: async () => ({ command: (await import("./commands/help.ts")).helpCommand(COMMANDS, findCommand) }),
    update: () => import("./commands/update.ts"),
    version: () => import("./commands/version.ts"),
  },
};

/** What people need not know. */
const HIDDEN: Readonly<Record<string, CommandEntry["load"]>> = {
  complete: async () => ({ command: (await import("./commands/complete.ts")).completeCommand(COMMANDS) }),
  [TASK]: () => import("./commands/task.ts"),
  "replay-agent": () => import("./commands/replay_agent.ts"),
  detached: () => import("./commands/detached.ts"),
  hook: () => import("./commands/hook.ts"),
  "sandbox-host": () => import("./commands/sandbox_host.ts"),
};

/** In the order, and in the groups, in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = [
  ...Object.entries(LOADS).flatMap(([group, loads]) =>
    Object.entries(loads).map(([name, load]) => ({ name, group, load, hidden: false }))
  ),
  ...Object.entries(HIDDEN).map(([name, load]) => ({ name, group: "", load, hidden: true })),
];

/** What people type who know other tools, and what it is called here. */
const GUESSES: readonly (readonly [string, readonly string[]])[] = [
  ["runs", ["ls", "list", "ps", "jobs"]],
  ["status --watch", ["top", "watch"]],
  ["logs --follow", ["follow", "tail"]],
  ["stop", ["kill", "cancel", "abort"]],
  ["resume", ["continue"]],
  ['"…"', ["start", "new", "do", "go", "fix"]],
  ["attach", ["chat", "open"]],
  ["discard", ["drop"]],
  ["approve", ["accept", "allow", "yes"]],
  ["deny", ["reject", "no"]],
  ["apply", ["merge", "take"]],
  ["show", ["view", "card"]],
  ["init", ["setup"]],
  ["doctor", ["check", "login"]],
  ["clean", ["rm", "prune", "gc"]],
  ["send", ["message", "tell"]],
  ["serve", ["web", "ui"]],
  ["update --check", ["upgrade"]],
];

export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const names = COMMANDS.filter((candidate) => candidate.hidden !== true).map((candidate) => candidate.name);
  const [guess] = GUESSES.find(([, guesses]) => guesses.includes(name)) ?? [];
  const meant = guess === undefined ? didYouMean(name, names) : `; here it is: panewright ${guess}`;
  throw new UsageError(`Cannot run "${name}": no such command${meant}`, {
    hint: `A task is several words: panewright "Fix the rounding". Commands: ${names.join(", ")}.`,
  });
}

/** The command for what stands in a command's place: its name, or a task. */
export async function findEntry(
  given: string,
  io: Pick<CliIo, "cwd">,
): Promise<{ readonly entry: CommandEntry; readonly isTask: boolean }> {
  const isName = /^[a-z][a-z-]*$/.test(given);
  const isTask = !isName && (await import("./task_argument.ts")).isTask(given, io);
  return { entry: findCommand(isTask ? TASK : given), isTask };
}
