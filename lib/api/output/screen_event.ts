import * as z from "zod";
import { WORKER_STATUSES } from "../../journal/workers.ts";
import { ROW_STYLES } from "../show/activity_row.ts";
import type { Exact } from "./outputs.ts";
import { count, flag, roleName, text, time } from "./shapes.ts";

const standing = {
  at: time("When it was seen"),
  role: roleName,
  provider: text("Its agent; missing while there is none.").optional(),
  status: z.enum([...WORKER_STATUSES, "none"])
    .describe("What the agent does, by the journal and not by its screen; `none`: its agent has not started yet."),
  since: time("Since when").optional(),
};

const screen = z.object({
  type: z.literal("screen"),
  ...standing,
  pane: z.object({
    columns: count("Its width."),
    rows: count("Its height."),
    cursor: z.object({ column: count("From 0."), row: count("From 0.") }).describe("Missing where none is shown.")
      .optional(),
    title: text("The title that the agent's CLI has set."),
    isDead: flag("Whether its program has ended."),
    text: text("The rows, with SGR sequences as the only control sequences. Secrets are replaced."),
    isPlain: flag("Whether styles were left out, because there are too many."),
  }).nullable().describe("Null where there is nothing to be seen; `why` says why."),
  why: text("Why nothing can be seen.").optional(),
}).describe("What the terminal shows now, at most 5 times a second.");

const activity = z.object({
  type: z.literal("activity"),
  ...standing,
  rows: z.array(z.object({
    at: time("When"),
    mark: text("What stands before the text, and tells what it is."),
    text: text("One row."),
    style: z.enum(ROW_STYLES).optional(),
    begins: flag("Whether something new begins with it."),
  })),
  isReset: flag("Whether the rows replace all that were told before: at first, and when some were missed."),
  doing: text("What the agent is at, in a line; may be empty."),
}).describe("What an agent without a terminal has done since the last one.");

const end = z.object({ type: z.literal("end"), at: time("When"), role: roleName, why: text("Why.") })
  .describe("Nothing will follow; a run that is resumed can be watched anew.");

/** What a follower of a role's screen is told; each one but `activity` replaces the one before. */
export const SCREEN_EVENT = z.discriminatedUnion("type", [screen, activity, end]);

export type ScreenEvent = Exact<z.input<typeof SCREEN_EVENT>>;
type Activity = Extract<ScreenEvent, { type: "activity" }>;

export type ActivityRowFrame = Activity["rows"][number];

export type PaneFrame = NonNullable<Extract<ScreenEvent, { type: "screen" }>["pane"]>;

/** What a role's agent does, and since when: from the journal, never from its screen. */
export type RoleStanding = Pick<Activity, "role" | "provider" | "status" | "since">;
