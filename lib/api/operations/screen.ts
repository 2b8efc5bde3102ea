import { runOperation } from "./operation.ts";
import { SCREEN_EVENT } from "../output/screen_event.ts";
import type { Role } from "../../base/roles.ts";
import { rolesOf } from "../show/roles_of_run.ts";
import type { Clock } from "../../base/ports/clock.ts";
import { eventFrame, type EventStream } from "../follow/event_stream.ts";
import { ROLE_PARAM } from "./fields.ts";
import { Problem } from "../control/problem.ts";
import { type RunHub, withHub } from "../follow/run_hub.ts";

function requireRole(name: string, { progress }: Pick<RunHub, "progress">): Role {
  const roles = rolesOf(progress);
  if (progress?.job === "exec") {
    throw new Problem("unknown_role", "Cannot show an agent of this run: the agents of its steps have no terminals", {
      hint: "What they say and run is in the events of the run, and in its report.",
    });
  }
  if (roles.includes(name)) return name;
  throw new Problem("unknown_role", `Cannot find the role ${JSON.stringify(name)}`, {
    hint: `The roles are ${roles.join(", ")}.`,
  });
}

const UNREAD_MS = 60_000;

/**
 * Waits until a client has read most of what it was sent.
 *
 * @throws {Error} when it does not read
 */
async function readInTime(stream: EventStream, clock: Clock): Promise<void> {
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

export const watchScreen = runOperation({
  id: "watchScreen",
  method: "get",
  path: "/v1/runs/{run}/screens/{role}",
  summary: "What a role's agent shows, as it changes",
  description:
    "Server-Sent Events without ids: each `screen` replaces the one before, so a client that comes back has missed " +
    "nothing. It is looked at only while somebody watches. A client that reads slowly gets fewer frames.",
  params: ROLE_PARAM,
  replies: {
    200: {
      about: "The frames.",
      type: "text/event-stream",
      schema: SCREEN_EVENT,
    },
  },
  problems: ["unknown_role"],
  async handle(folder, { context, params }) {
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
