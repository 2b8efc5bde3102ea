import * as z from "zod";

/** A text that is not empty. */
export const text = () => z.string().min(1);
/** A whole number of something. */
export const count = (least: number) => z.int().min(least).max(1_000_000);
/** A time of at most a week. */
export const seconds = () => z.number().positive().max(7 * 24 * 3600);
/** A time that may be none. */
export const secondsOrNone = () => z.number().min(0).max(7 * 24 * 3600);
/** A program with its arguments. */
export const argv = () => z.tuple([text()], z.string());
/** Environment variables. */
export const environment = () => z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string());

/** How an agent is started: the same keys for a provider, a role and a step. */
export const agentKeys = {
  command: argv().optional().describe("Program and leading arguments in place of the provider's own program."),
  args: z.array(z.string()).optional().describe("Arguments added after the provider's own."),
  env: environment().optional().describe("Environment variables for the agent, besides those that it inherits."),
  model: text().optional().describe("The model that the agent is told to use."),
  profile: text().optional().describe("A named set of settings of the agent CLI's own (`codex --profile`)."),
};
