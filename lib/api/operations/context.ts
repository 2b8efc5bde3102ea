import type { Clock } from "../../base/ports/clock.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { MachineSecrets } from "../../run/notify/machine_secrets.ts";
import type { DetachOptions } from "../control/detach.ts";
import type { GiveAnswerOptions } from "../control/give_answer.ts";
import type { MeetRun } from "../control/meet_run.ts";
import { createEventFeed, type EventFeed } from "../follow/event_feed.ts";
import { ReportFeed } from "../follow/report_feed.ts";
import { createRunHubs, type RunHub, type RunHubs } from "../follow/run_hub.ts";
import { ScreenHub } from "../follow/screens/screen_hub.ts";

/** What the acts of operations work with. */
export interface ActContext {
  /** The working directories whose runs are served, and in which some are started: absolute, without links. */
  readonly workdirs: readonly string[];
  /** Takes secrets out of all that is told of a run. */
  readonly redactor: Redactor;
  /** Told of each run before anything of it is given away. */
  readonly meetRun?: MeetRun;
  /** Rejects unless the person trusts a run's configuration as it is now. */
  readonly requireTrust: GiveAnswerOptions["requireTrust"];
  readonly clock: Clock;
  /** How runs are started. */
  readonly detach?: Omit<DetachOptions, "signal">;
}

/** What acts work with that somebody follows, besides. */
export interface FollowDeps extends ActContext {
  readonly wallClock: () => Date;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
  /** With which the buttons of notifications are made. @default {machineSecrets()} */
  readonly secrets?: MachineSecrets;
  /** The person's variables. */
  readonly env: (name: string) => string | undefined;
}

/** What the operations of a server share. */
export interface ServeContext extends FollowDeps {
  readonly hubs: RunHubs;
  readonly screens: ScreenHub;
  /** Make the feeds of a hub, for {@linkcode RunHub.once}. */
  readonly eventFeed: (hub: RunHub) => EventFeed;
  readonly reportFeed: (hub: RunHub) => ReportFeed;
}

/** Completes what a server is made of. */
export function serveContext<Deps extends FollowDeps>(deps: Deps): Deps & ServeContext {
  return {
    ...deps,
    hubs: createRunHubs(deps),
    screens: new ScreenHub(deps),
    eventFeed: (hub) => createEventFeed(hub, deps.redactor),
    reportFeed: (hub) => new ReportFeed(hub, deps),
  };
}
