import { didYouMean } from "../base/text/suggest.ts";
import { UsageError } from "../base/errors.ts";
import type { CommandEntry } from "./console/command.ts";

export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "take a job through five agents until its tests pass",
    load: () => import("./commands/run.ts"),
  },
  { name: "exec", summary: "take a task through the steps of a pipeline", load: () => import("./commands/exec.ts") },
  { name: "resume", summary: "resume a run that was interrupted", load: () => import("./commands/resume.ts") },
  { name: "runs", summary: "list the runs of this project", load: () => import("./commands/runs.ts") },
  { name: "status", summary: "show the state of a run, once or live", load: () => import("./commands/status.ts") },
  { name: "logs", summary: "show what happened in a run", load: () => import("./commands/logs.ts") },
  {
    name: "report",
    summary: "make a report of a run, as a page or a summary",
    load: () => import("./commands/report.ts"),
  },
  {
    name: "attach",
    summary: "show the agents of a run in their terminals",
    load: () => import("./commands/attach.ts"),
  },
  { name: "stop", summary: "stop a run, to resume it later", load: () => import("./commands/stop.ts") },
  { name: "clean", summary: "remove the folders of old runs", load: () => import("./commands/clean.ts") },
  {
    name: "questions",
    summary: "list the open questions of agents",
    load: () => import("./commands/questions.ts"),
  },
  { name: "answer", summary: "answer a question of an agent", load: () => import("./commands/answer.ts") },
  {
    name: "send",
    summary: "send a message to the agent of a role",
    load: () => import("./commands/send.ts"),
  },
  {
    name: "serve",
    summary: "serve runs as live pages, and over HTTP to programs",
    load: () => import("./commands/serve.ts"),
  },
  {
    name: "notify",
    summary: "try notifications, and deliver those still waiting",
    load: () => import("./commands/notify.ts"),
  },
  {
    name: "validate",
    summary: "check the configuration and its pipelines",
    load: () => import("./commands/validate.ts"),
  },
  { name: "init", summary: "write a config and a job to start from", load: () => import("./commands/init.ts") },
  {
    name: "config",
    summary: "show the effective configuration, or its JSON Schema",
    load: () => import("./commands/config.ts"),
  },
  { name: "schema", summary: "print the JSON Schema of an output", load: () => import("./commands/schema.ts") },
  {
    name: "trust",
    summary: "show what a configuration would do, and trust it",
    load: () => import("./commands/trust.ts"),
  },
  { name: "doctor", summary: "check this machine and the configuration", load: () => import("./commands/doctor.ts") },
  {
    name: "agents",
    summary: "list the agents, installed or not",
    load: () => import("./commands/agents.ts"),
  },
  {
    name: "permissions",
    summary: "show how a permission dialog would be answered",
    load: () => import("./commands/permissions.ts"),
  },
  {
    name: "audit",
    summary: "show or verify decisions about dialogs",
    load: () => import("./commands/audit.ts"),
  },
  { name: "explain", summary: "explain why a screen has its status", load: () => import("./commands/explain.ts") },
  {
    name: "fixtures",
    summary: "check the rules against recorded screens",
    load: () => import("./commands/fixtures.ts"),
  },
  { name: "rules", summary: "show, update or roll back the rules", load: () => import("./commands/rules.ts") },
  { name: "record", summary: "record an agent's pane with its statuses", load: () => import("./commands/record.ts") },
  { name: "fixture", summary: "cut a fixture from a recording", load: () => import("./commands/fixture.ts") },
  {
    name: "mcp",
    summary: "let a coding agent start and steer runs (MCP)",
    load: () => import("./commands/mcp.ts"),
  },
  { name: "ask", summary: "ask a person from within a pipeline step", load: () => import("./commands/ask.ts") },
  { name: "demo", summary: "watch five replayed agents do a job", load: () => import("./commands/demo.ts") },
  {
    name: "help",
    summary: "explain a command",
    load: async () => ({ command: (await import("./commands/help.ts")).helpCommand(COMMANDS, findCommand) }),
  },
  { name: "version", summary: "print the version", load: () => import("./commands/version.ts") },
  {
    name: "completion",
    summary: "print a script that completes command lines",
    load: () => import("./commands/completion.ts"),
  },
  {
    name: "man",
    summary: "print manual pages",
    load: async () => ({ command: (await import("./commands/man.ts")).manCommand(COMMANDS, findCommand) }),
  },
  {
    name: "complete",
    summary: "print what can be typed next",
    hidden: true,
    load: async () => ({ command: (await import("./commands/complete.ts")).completeCommand(COMMANDS) }),
  },
  {
    name: "replay-agent",
    summary: "play an agent in a terminal by a script",
    hidden: true,
    load: () => import("./commands/replay_agent.ts"),
  },
  {
    name: "detached",
    summary: "execute a run without a terminal",
    hidden: true,
    load: () => import("./commands/detached.ts"),
  },
  {
    name: "hook",
    summary: "answer the hook of an agent's CLI",
    hidden: true,
    load: () => import("./commands/hook.ts"),
  },
];

export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const names = COMMANDS.filter((candidate) => candidate.hidden !== true).map((candidate) => candidate.name);
  throw new UsageError(`Cannot run "${name}": no such command${didYouMean(name, names)}`, {
    hint: `Commands: ${names.join(", ")}.`,
  });
}
