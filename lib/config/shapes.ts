import * as z from "zod";
import { DRIVERS } from "../agents/driven_agent.ts";
import { CAP_SETTINGS, LEAST_COST, MOST_TOKENS } from "../run/caps.ts";
import type { Setting, SettingValue } from "../base/settings.ts";

export interface ShapeValue {
  readonly kind: "shape";
  /** Made where it is needed: to make all of them takes a third of a start, and few configurations have many. */
  readonly schema: () => z.ZodType;
  readonly must: string;
  readonly default?: unknown;
}

export type ShapedSlice = Readonly<Record<string, Setting<SettingValue | ShapeValue>>>;

/** The most that a config file, a variable or a flag may ask for: a week, a million, 64 MiB, a million of money. */
export const MOST = { seconds: 7 * 24 * 3600, count: 1_000_000, bytes: 64 * 1024 * 1024, amount: 1_000_000 } as const;

/** A text that is not empty. */
export const text = () => z.string().min(1);
export const seconds = () => z.number().positive().max(MOST.seconds);
/** A command for `sh -c`; a blank one would pass whatever is tested. */
export const shellText = () => z.string().min(1, { abort: true }).regex(/\S/, "must not be blank");
export const argv = () => z.tuple([text()], z.string());

/** What an agent of a configuration's own may be called: not as what every object has. */
export const AGENT_ID = /^(?!constructor$)[a-z][a-z0-9_-]{0,63}$/;

/** How an agent is started: the same keys for a provider, a role and a step. */
export const agentKeys = () => ({
  command: argv().optional().describe("The program and its leading arguments, instead of the provider's own program."),
  args: z.array(z.string()).optional().describe("Arguments added after the provider's own."),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string()).optional()
    .describe("Environment variables for the agent, in addition to those that it inherits."),
  model: text().optional().describe("The model that the agent is told to use."),
  profile: text().optional().describe("A named set of the agent CLI's own settings (`codex --profile`)."),
});

/** What drives an agent of a role, or of a step. */
export const driverKey = () => ({
  driver: z.enum(DRIVERS).optional().describe(
    "What drives the agent: `pane`, its terminal; `process`, its CLI started without one for each message; `acp`. " +
      "Without it, a role has a pane and a step a process, where the provider offers that.",
  ),
});

const perMillion = () => z.number().min(0).max(MOST.amount);

export const prices = () =>
  z.strictObject({
    date: z.iso.date({ error: "must be the day of the prices, such as 2026-11-01" })
      .describe("The date of the prices, which is shown with each cost."),
    models: z.record(
      text(),
      z.strictObject({
        input: perMillion().describe("For a million tokens of input."),
        cached_input: perMillion().optional()
          .describe("For a million tokens of input that came from a cache; without it, the price of input."),
        cache_write: perMillion().optional()
          .describe("For a million tokens of input that were written to a cache; without it, the price of input."),
        output: perMillion().describe("For a million tokens of output, reasoning included."),
      }),
    ).describe("By the model's name as its CLI records it: the end of a run shows these names."),
  });

/** What a role or a step may use: the same keys as in `limits` of the whole run. */
export const capKeys = () => ({
  limits: z.strictObject({
    max_turns: z.int().min(1).max(MOST.count).optional().describe("Turns after which the run stops with exit code 3."),
    max_minutes: z.int().min(1).max(CAP_SETTINGS.maxMinutes.value.most).optional()
      .describe("Minutes in turns after which the run is stopped with exit code 3."),
    max_tokens: z.int().min(1).max(MOST_TOKENS).optional()
      .describe("Tokens, in and out, after which the run is stopped with exit code 3."),
    max_cost: z.number().min(LEAST_COST).max(MOST.amount).optional()
      .describe("Cost, by `prices`, after which the run is stopped with exit code 3."),
  }).optional().describe("What it may use, all processes of a run together."),
});
