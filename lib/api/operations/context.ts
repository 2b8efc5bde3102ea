import type { Clock } from "../../base/ports/clock.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import type { KnownRuns } from "../../run/overview.ts";
import type { MachineSecrets } from "../../run/notify/machine_secrets.ts";
import type { DetachOptions } from "../control/detach.ts";
import type { GiveAnswerOptions } from "../control/give_answer.ts";
import type { MeetRun } from "../control/act.ts";
import { createEventFeed, type EventFeed } from "../follow/event_feed.ts";
import { ReportFeed } from "../follow/report_feed.ts";
import { createRunHubs, type RunHub, type RunHubs } from "../follow/run_hub.ts";
import { ScreenHub } from "../follow/screens/screen_hub.ts";

export interface ActContext {
  /** The working directories whose runs are served, and in which some are started: absolute, without links. */
  readonly workdirs: readonly string[];
  readonly redactor: Redactor;
  readonly meetRun?: MeetRun;
  readonly requireTrust: GiveAnswerOptions["requireTrust"];
  readonly clock: Clock;
  readonly detach?: Omit<DetachOptions, "signal">;
}

export interface FollowDeps extends ActContext {
  readonly wallClock: () => Date;
  readonly signal: AbortSignal;
  /** With which the buttons of notifications are made. @default {machineSecrets()} */
  readonly secrets?: MachineSecrets;
  readonly env: (name: string) => string | undefined;
}

export interface ServeContext extends FollowDeps {
  readonly hubs: RunHubs;
  /** The runs as they were listed last. */
  readonly known: KnownRuns;
  readonly screens: ScreenHub;
  readonly eventFeed: (hub: RunHub) => EventFeed;
  readonly reportFeed: (hub: RunHub) => ReportFeed;
}

export function serveContext<Deps extends FollowDeps>(deps: Deps): Deps & ServeContext {
  return {
    ...deps,
    hubs: createRunHubs(deps),
    known: { journals: new Map(), ended: new Map() },
    screens: new ScreenHub(deps),
    eventFeed: (hub) => createEventFeed(hub, deps.redactor),
    reportFeed: (hub) => new ReportFeed(hub, deps),
  };
}
