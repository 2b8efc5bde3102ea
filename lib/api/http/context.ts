import type { Clock } from "../../base/ports/clock.ts";
import type { MachineSecrets } from "../../run/notify/machine_secrets.ts";
import type { Redactor } from "../../base/redact/redactor.ts";
import { listRunIds } from "../../run/find_run.ts";
import { isRunId, refuseLinksIn, type RunFolder, runFolderAt } from "../../run/run_folder.ts";
import type { MeetRun } from "../control/meet_run.ts";
import type { DetachOptions } from "../control/detach.ts";
import type { CheckToken } from "./token.ts";
import type { ServeLimits } from "./limits.ts";
import { Problem } from "./problem.ts";
import { createEventFeed, type EventFeed } from "./event_feed.ts";
import { ScreenHub } from "./screens/screen_hub.ts";
import { createReportFeed, type ReportFeed } from "./report_feed.ts";
import { createRunHubs, type RunHub, type RunHubs } from "./run_hub.ts";

/** What a server is made of. */
export interface ServeDeps {
  /** The working directories whose runs it serves, and in which it starts some: absolute, without links. */
  readonly workdirs: readonly string[];
  readonly checkToken: CheckToken;
  /** What clients may call the server, in lower case: `127.0.0.1:8484`. */
  readonly hosts: ReadonlySet<string>;
  /** How clients reach it: `https` with TLS. */
  readonly scheme: "http" | "https";
  readonly limits: ServeLimits;
  /** Takes secrets out of all that is answered. */
  readonly redactor: Redactor;
  readonly clock: Clock;
  readonly wallClock: () => Date;
  /** Aborted when the server ends. */
  readonly signal: AbortSignal;
  /** Told of each run before anything of it is answered. */
  readonly meetRun?: MeetRun;
  /** Rejects unless the person trusts a run's configuration as it is now. */
  readonly requireTrust: (configFile: string | null) => Promise<void>;
  /** With which the buttons of notifications are made. @default {machineSecrets()} */
  readonly secrets?: MachineSecrets;
  /** How runs are started. */
  readonly detach: Omit<DetachOptions, "signal">;
  /** The person's variables. */
  readonly env: (name: string) => string | undefined;
  /** Tells the person at the server's terminal something, without a line end. */
  readonly log: (message: string) => void;
}

/** What the parts of a server share. */
export interface ServeContext extends ServeDeps {
  readonly hubs: RunHubs;
  readonly screens: ScreenHub;
  /** Make the feeds of a hub, for {@linkcode RunHub.once}. */
  readonly eventFeed: (hub: RunHub) => EventFeed;
  readonly reportFeed: (hub: RunHub) => ReportFeed;
  /**
   * A run by its whole id.
   *
   * @throws {Problem} `unknown_run`, `ambiguous_run`
   */
  findRun(id: string): Promise<RunFolder>;
}

/** Completes what a server is made of. */
export function serveContext(deps: ServeDeps): ServeContext {
  return {
    ...deps,
    hubs: createRunHubs(deps),
    screens: new ScreenHub(deps),
    eventFeed: (hub) => createEventFeed(hub, deps.redactor),
    reportFeed: (hub) => createReportFeed(hub, deps),
    async findRun(id) {
      const found: RunFolder[] = [];
      for (const workdir of isRunId(id) ? deps.workdirs : []) {
        if (!(await listRunIds(workdir)).includes(id)) continue;
        const folder = runFolderAt(workdir, id);
        refuseLinksIn(folder);
        found.push(folder);
      }
      const [folder, ...others] = found;
      if (folder === undefined) {
        throw new Problem(
          "unknown_run",
          `Cannot find the run ${JSON.stringify(id)}: no working directory served has it`,
          {
            hint: "GET /v1/runs lists the runs.",
          },
        );
      }
      if (others.length === 0) {
        await deps.meetRun?.(folder);
        return folder;
      }
      throw new Problem("ambiguous_run", `Cannot tell which run ${id} is meant: ${found.length} directories have one`, {
        hint: "A project was copied with its runs. Serve one of the directories: panewright serve --wd DIR",
      });
    },
  };
}
