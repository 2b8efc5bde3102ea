import { didYouMean } from "../config/suggest.ts";
import { UsageError } from "../errors.ts";
import type { CommandEntry } from "./console/command.ts";

/** Every command, in the order of the overview. */
export const COMMANDS: readonly CommandEntry[] = [
  {
    name: "run",
    summary: "drive a job through five agents until its tests pass",
    load: () => import("./commands/run.ts"),
  },
  { name: "exec", summary: "take a task through the steps of a pipeline", load: () => import("./commands/exec.ts") },
  { name: "resume", summary: "go on with a run that was broken off", load: () => import("./commands/resume.ts") },
  { name: "runs", summary: "list the runs of this project", load: () => import("./commands/runs.ts") },
  { name: "status", summary: "show how a run is, once or as it goes", load: () => import("./commands/status.ts") },
  { name: "logs", summary: "show what has happened in a run", load: () => import("./commands/logs.ts") },
  {
    name: "attach",
    summary: "look at the agents of a run in their terminals",
    load: () => import("./commands/attach.ts"),
  },
  { name: "stop", summary: "stop a run, to go on with it later", load: () => import("./commands/stop.ts") },
  { name: "clean", summary: "remove the folders of old runs", load: () => import("./commands/clean.ts") },
  {
    name: "questions",
    summary: "list what agents ask and nobody has answered",
    load: () => import("./commands/questions.ts"),
  },
  { name: "answer", summary: "answer a question of an agent", load: () => import("./commands/answer.ts") },
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
  { name: "doctor", summary: "check this machine and the configuration", load: () => import("./commands/doctor.ts") },
  {
    name: "permissions",
    summary: "tell how a permission dialog would be answered",
    load: () => import("./commands/permissions.ts"),
  },
  {
    name: "audit",
    summary: "show or verify what was decided about dialogs",
    load: () => import("./commands/audit.ts"),
  },
  { name: "explain", summary: "tell why a screen has its status", load: () => import("./commands/explain.ts") },
  {
    name: "fixtures",
    summary: "check the rules against recorded screens",
    load: () => import("./commands/fixtures.ts"),
  },
  { name: "record", summary: "record an agent's pane with its statuses", load: () => import("./commands/record.ts") },
  { name: "fixture", summary: "cut a fixture out of a recording", load: () => import("./commands/fixture.ts") },
  { name: "ask", summary: "ask a person, from within a step of a pipeline", load: () => import("./commands/ask.ts") },
  { name: "demo", summary: "watch a job go through five replayed agents", load: () => import("./commands/demo.ts") },
  {
    name: "help",
    summary: "explain a command",
    load: async () => ({ command: (await import("./commands/help.ts")).helpCommand(COMMANDS, findCommand) }),
  },
  { name: "version", summary: "print the version", load: () => import("./commands/version.ts") },
  {
    name: "replay-agent",
    summary: "play an agent in a terminal by a script",
    hidden: true,
    load: () => import("./commands/replay_agent.ts"),
  },
];

/**
 * The command of that name.
 *
 * @throws {UsageError} where there is none; it lists the commands and suggests the nearest
 */
export function findCommand(name: string): CommandEntry {
  const entry = COMMANDS.find((candidate) => candidate.name === name);
  if (entry !== undefined) return entry;
  const names = COMMANDS.filter((candidate) => candidate.hidden !== true).map((candidate) => candidate.name);
  throw new UsageError(`Cannot run "${name}": there is no such command${didYouMean(name, names)}`, {
    hint: `Commands: ${names.join(", ")}.`,
  });
}
