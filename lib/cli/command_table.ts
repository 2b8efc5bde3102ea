import { didYouMean } from "../base/text/suggest.ts";
import { UsageError } from "../base/errors.ts";
import type { CommandEntry } from "./console/command.ts";

const LOADS: Readonly<Record<string, CommandEntry["load"]>> = {
  run: () => import("./commands/run.ts"),
  exec: () => import("./commands/exec.ts"),
  resume: () => import("./commands/resume.ts"),
  runs: () => import("./commands/runs.ts"),
  status: () => import("./commands/status.ts"),
  logs: () => import("./commands/logs.ts"),
  report: () => import("./commands/report.ts"),
  attach: () => import("./commands/attach.ts"),
  stop: () => import("./commands/stop.ts"),
  clean: () => import("./commands/clean.ts"),
  workspaces: () => import("./commands/workspaces.ts"),
  diff: () => import("./commands/diff.ts"),
  apply: () => import("./commands/apply.ts"),
  reply: () => import("./commands/reply.ts"),
  pr: () => import("./commands/pr.ts"),
  discard: () => import("./commands/discard.ts"),
  questions: () => import("./commands/questions.ts"),
  answer: () => import("./commands/answer.ts"),
  send: () => import("./commands/send.ts"),
  serve: () => import("./commands/serve.ts"),
  notify: () => import("./commands/notify.ts"),
  validate: () => import("./commands/validate.ts"),
  init: () => import("./commands/init.ts"),
  config: () => import("./commands/config.ts"),
  schema: () => import("./commands/schema.ts"),
  trust: () => import("./commands/trust.ts"),
  doctor: () => import("./commands/doctor.ts"),
  agents: () => import("./commands/agents.ts"),
  permissions: () => import("./commands/permissions.ts"),
  audit: () => import("./commands/audit.ts"),
  sandbox: () => import("./commands/sandbox.ts"),
  explain: () => import("./commands/explain.ts"),
  fixtures: () => import("./commands/fixtures.ts"),
  rules: () => import("./commands/rules.ts"),
  record: () => import("./commands/record.ts"),
  fixture: () => import("./commands/fixture.ts"),
  mcp: () => import("./commands/mcp.ts"),
  ask: () => import("./commands/ask.ts"),
  demo: () => import("./commands/demo.ts"),
  help: async () => ({ command: (await import("./commands/help.ts")).helpCommand(COMMANDS, findCommand) }),
  version: () => import("./commands/version.ts"),
  completion: () => import("./commands/completion.ts"),
  man: async () => ({ command: (await import("./commands/man.ts")).manCommand(COMMANDS, findCommand) }),
  complete: async () => ({ command: (await import("./commands/complete.ts")).completeCommand(COMMANDS) }),
  "replay-agent": () => import("./commands/replay_agent.ts"),
  detached: () => import("./commands/detached.ts"),
  hook: () => import("./commands/hook.ts"),
  "sandbox-host": () => import("./commands/sandbox_host.ts"),
};

const HIDDEN = ["complete", "replay-agent", "detached", "hook", "sandbox-host"];

/** In the order in which help lists them. */
export const COMMANDS: readonly CommandEntry[] = Object.entries(LOADS).map(([name, load]) => ({
  name,
  hidden: HIDDEN.includes(name),
  load,
}));

export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const names = COMMANDS.filter((candidate) => candidate.hidden !== true).map((candidate) => candidate.name);
  throw new UsageError(`Cannot run "${name}": no such command${didYouMean(name, names)}`, {
    hint: `Commands: ${names.join(", ")}.`,
  });
}
