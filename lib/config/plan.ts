import { dirname, resolve } from "@std/path/posix";
import { UsageError } from "../base/errors.ts";
import { type Caps, tokenCapOf } from "../run/caps.ts";
import { NO_CHANGE_SETTINGS, REPETITION_SETTINGS } from "../run/no_progress.ts";
import { type AgentPlan, allAgentsOf, type ReviewRunPlan } from "../jobs/review_loop/plan.ts";
import {
  POST_PROCESSING_SETTINGS,
  RESPONSE_TIMEOUT,
  REVIEW_LOOP_SETTINGS,
  REVIEW_RUN_SETTINGS,
  TMUX_SETTINGS,
} from "../jobs/review_loop/settings.ts";
import type { Role } from "../base/roles.ts";
import { present } from "../base/schema.ts";
import type { LoadedConfig } from "./load.ts";
import { agentsOfRoles } from "./agent_plans.ts";
import { commonPlan } from "./common_plan.ts";
import { ownRolesIn } from "./roles_schema.ts";
import { settingsIn } from "./settings_in.ts";

export function toRunPlan(loaded: LoadedConfig): ReviewRunPlan {
  const { config, job } = loaded;
  const { project_test_cmd: test, prompt_file: jobFile } = config;
  const common = commonPlan(loaded, {
    commands: test === undefined ? [] : [test],
    // What the agents are to do is in the journal, and is read once.
    ...present({ except: jobFile }),
  });
  const ownRoles = ownRolesIn(config.roles);
  const agents = agentsOfRoles(loaded);
  for (const [role, agent] of Object.entries(agents)) {
    for (const { provider } of allAgentsOf(agent)) {
      requireTokens(role, { agent: { ...agent, provider }, caps: common.caps });
    }
  }
  return {
    ...common,
    job,
    agents,
    timeLimits: { [RESPONSE_TIMEOUT]: config.handoff.response_timeout },
    loop: { ...settingsIn(config, REVIEW_LOOP_SETTINGS), ...(Object.keys(ownRoles).length === 0 ? {} : { ownRoles }) },
    words: wordsFor(loaded),
    noProgress: { ...settingsIn(config, REPETITION_SETTINGS), ...settingsIn(config, NO_CHANGE_SETTINGS) },
    tmux: settingsIn(config, TMUX_SETTINGS),
    ...settingsIn(config, REVIEW_RUN_SETTINGS),
    postProcessing: settingsIn(config, POST_PROCESSING_SETTINGS),
  };
}

/** What the config has each role told besides. */
function wordsFor({ config: { roles }, cwd, filePath, files }: LoadedConfig): NonNullable<ReviewRunPlan["words"]> {
  const folder = filePath === undefined ? cwd : dirname(filePath);
  return Object.fromEntries(
    Object.entries(roles).flatMap(([role, entry]) => {
      const prompt = entry?.prompt;
      const text = prompt === undefined ? undefined : files.get(resolve(folder, prompt))?.text;
      return text === undefined ? [] : [[role, text]];
    }),
  );
}

function requireTokens(role: Role, { agent, caps }: { readonly agent: AgentPlan; readonly caps: Caps }): void {
  const cap = tokenCapOf(role, { caps, ofWorker: agent.caps });
  if (cap === undefined || tellsTokens(agent)) return;
  throw new UsageError(
    `Cannot keep the cap ${cap}: ${agent.provider.label}, the agent of ${role}, reports no tokens`,
    {
      hint: "Cap limits.max_turns and limits.max_minutes instead, or give the role another provider.",
    },
  );
}

function tellsTokens({ provider: { acp, terminal } }: AgentPlan): boolean {
  return (acp ?? terminal)?.tellsTokens === true;
}
