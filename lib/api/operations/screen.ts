import * as z from "zod";
import { count, flag, text, time } from "../output/shapes.ts";
import { type Role, ROLES } from "../../base/roles.ts";
import { TERMINAL_STATUSES } from "../../base/status.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { eventFrame, type EventStream } from "../follow/event_stream.ts";
import { ROLE_PARAM, RUN_PARAM } from "./fields.ts";
import { operation } from "./operation.ts";
import { requestedRun } from "./served.ts";
import { Problem } from "../control/problem.ts";
import type { RunHub } from "../follow/run_hub.ts";
import { withHub } from "../follow/warm_hub.ts";

const standing = {
  at: time("When it was seen"),
  role: z.enum(ROLES),
  provider: text("Its agent; missing while there is none.").optional(),
  status: z.enum([...TERMINAL_STATUSES, "starting", "prompting", "prompted", "limited", "lost", "none"])
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
    style: z.enum(["strong", "faint", "good", "caution", "bad"]).optional(),
    begins: flag("Whether something new begins with it."),
  })),
  isReset: flag("Whether the rows replace all that were told before: at first, and when some were missed."),
  doing: text("What the agent is at, in a line; may be empty."),
}).describe("What an agent without a terminal has done since the last one.");

const end = z.object({ type: z.literal("end"), at: time("When"), role: z.enum(ROLES), why: text("Why.") })
  .describe("Nothing will follow; a run that is resumed can be watched anew.");

/**
 * A role of a run.
 *
 * @throws {Problem} `unknown_role`
 */
export function requireRole(name: string, { progress }: Pick<RunHub, "progress">): Role {
  const role = ROLES.find((one) => one === name);
  if (progress?.job === "exec") {
    throw new Problem("unknown_role", "Cannot show an agent of this run: the agents of its steps have no terminals", {
      hint: "What they say and run is in the events of the run, and in its report.",
    });
  }
  if (role !== undefined) return role;
  throw new Problem("unknown_role", `Cannot find the role ${JSON.stringify(name)}`, {
    hint: `The roles are ${ROLES.join(", ")}.`,
  });
}

/** How long a client may leave frames unread before it is dropped. */
const UNREAD_MS = 60_000;

/**
 * Waits until a client has read most of what it was sent.
 *
 * @throws {Error} when it does not read
 */
export async function readInTime(stream: EventStream, clock: Clock): Promise<void> {
  const read = new AbortController();
  const tooLong = clock.sleep(UNREAD_MS, AbortSignal.any([read.signal, stream.signal])).then(() => {
    throw new Error("the client does not read");
  });
  try {
    await Promise.race([stream.drained(), tooLong]);
  } finally {
    tooLong.catch(() => {});
    read.abort();
  }
}

export const watchScreen = operation({
  id: "watchScreen",
  method: "get",
  path: "/v1/runs/{run}/screens/{role}",
  summary: "What a role's agent shows, as it changes",
  description:
    "Server-Sent Events without ids: each `screen` replaces the one before, so a client that comes back has missed " +
    "nothing. It is looked at only while somebody watches. A client that reads slowly gets fewer frames.",
  params: { ...RUN_PARAM, ...ROLE_PARAM },
  replies: {
    200: {
      about: "The frames.",
      type: "text/event-stream",
      schema: z.discriminatedUnion("type", [screen, activity, end]),
    },
  },
  problems: ["unknown_run", "ambiguous_run", "unknown_role"],
  async handle({ context, params }) {
    const folder = await requestedRun(params["run"], context);
    const role = await withHub(context, folder, (hub) => requireRole(params["role"]!, hub));
    return {
      async events(stream) {
        using lease = context.hubs.open(folder);
        await lease.hub.ready;
        for await (const data of context.screens.follow(lease.hub, role, stream.signal)) {
          stream.send(eventFrame({ data }));
          await readInTime(stream, context.clock);
        }
      },
    };
  },
});
