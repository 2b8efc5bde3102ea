import { agentSecrets } from "../agents/agent_secrets.ts";
import { present } from "../base/schema.ts";
import type { AnyFact } from "../journal/job.ts";
import type { TokenCounts } from "../journal/usage.ts";
import { type Caps, runCaps } from "../run/caps.ts";
import type { Execution, Run, RunOptions, RunResult } from "../run/execution.ts";
import { noProgressCaps, type NoProgressLimits } from "../run/no_progress.ts";
import type { NotificationPlan } from "../run/notify/plan.ts";
import { costIn, type Prices } from "../run/prices.ts";
import { type AuditLog, openAuditLog } from "../turn/desk/audit.ts";
import { openAuditHeads } from "../turn/desk/audit_heads.ts";

type End<Fact extends AnyFact, State> = Parameters<Execution<Fact, State>["finish"]>[0];

interface PlannedExecution<Fact extends AnyFact, State>
  extends Pick<Execution<Fact, State>, "job" | "subfolders" | "resume" | "claim" | "warning"> {
  readonly plan: {
    readonly workdir: string;
    readonly caps: Caps;
    readonly noProgress?: NoProgressLimits;
    readonly notifications?: NotificationPlan;
    readonly prices?: Prices;
  };
  readonly agents: () => readonly Parameters<typeof agentSecrets>[0][];
  readonly workerCaps: () => Readonly<Record<string, Caps>>;
  readonly secrets: RunOptions<Fact>["secrets"];
  /** Names the file outside of the working directory to which the audit log's heads are copied. */
  readonly auditCopy: (run: Run<Fact, State>) => Promise<string | undefined>;
  readonly play: (run: Run<Fact, State>, audit: AuditLog) => Promise<RunResult>;
  readonly isOver: (outcome: End<Fact, State>["outcome"]) => boolean;
  /** @param last fields that follow what the job tells of its end */
  readonly finish: (
    end: Omit<End<Fact, State>, "resumeCommand">,
    state: State,
    last: (tokens: TokenCounts) => ReturnType<typeof costIn> & {
      readonly audit?: AuditLog["end"];
      readonly resumeCommand?: string;
    },
  ) => Fact;
}

/** What the execution of a run is, whatever its plan: caps, secrets, the audit log, and what its last fact ends with. */
export function executionOf<Fact extends AnyFact, State>(
  { plan, agents, workerCaps, auditCopy, play, isOver, finish, ...job }: PlannedExecution<Fact, State>,
): Execution<Fact, State> {
  const secretsOf = () => [...job.secrets ?? [], ...agents().flatMap(agentSecrets)];
  let audit: AuditLog | undefined;
  return {
    ...job,
    workdir: plan.workdir,
    notifications: plan.notifications,
    // A run that is refused needs neither.
    get caps() {
      return { ...runCaps(plan.caps, workerCaps()), ...noProgressCaps(plan.noProgress) };
    },
    prices: plan.prices,
    get secrets() {
      return secretsOf();
    },
    async play(run) {
      const { folder: { id, auditPath }, record } = run;
      using heads = openAuditHeads(await auditCopy(run), { onProblem: (message) => record(job.warning(message)) });
      audit = await openAuditLog(auditPath, { run: id, secrets: secretsOf(), heads });
      using _ = audit;
      return await play(run, audit);
    },
    finish({ resumeCommand, ...end }, state) {
      return finish(end, state, (tokens) => ({
        ...costIn(tokens, plan.prices),
        ...present({ audit: audit?.end }),
        ...(isOver(end.outcome) ? {} : { resumeCommand }),
      }));
    },
  };
}
