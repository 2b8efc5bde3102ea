import { ROLES } from "../roles.ts";
import { PROVIDER_IDS } from "../providers/mod.ts";

/**
 * The flags of `panewright run` and `panewright config show` that stand for a key of the configuration. `value` is what
 * a switch sets its key to.
 */
export const CONFIG_FLAGS = [
  {
    name: "provider",
    key: "provider",
    type: "choice",
    choices: PROVIDER_IDS,
    placeholder: "ID",
    description: `the agent CLI of every role that names no other: ${PROVIDER_IDS.join(", ")}`,
  },
  { name: "wd", key: "wd", type: "string", placeholder: "DIR", description: "the folder in which the agents work" },
  {
    name: "prompt-file",
    key: "prompt_file",
    type: "string",
    placeholder: "FILE",
    description: "the file with the job's text",
  },
  {
    name: "start-agent",
    key: "start_agent",
    type: "choice",
    choices: ROLES,
    placeholder: "ROLE",
    description: `the role that begins: ${ROLES.join(", ")}`,
  },
  {
    name: "test-cmd",
    key: "project_test_cmd",
    type: "string",
    placeholder: "COMMAND",
    description: "the project's own tests, run by sh -c; PASS counts only if they pass",
  },
  {
    name: "max-rounds",
    key: "limits.max_rounds",
    type: "integer",
    placeholder: "N",
    description: "rounds before the job counts as failed",
  },
  {
    name: "max-review-cycles",
    key: "limits.max_review_cycles",
    type: "integer",
    placeholder: "N",
    description: "how often an author and its reviewer work in turn in one round",
  },
  {
    name: "poll-seconds",
    key: "handoff.poll_seconds",
    type: "number",
    placeholder: "N",
    description: "seconds between two looks at an agent's terminal",
  },
  {
    name: "idle-grace-seconds",
    key: "handoff.idle_grace_seconds",
    type: "number",
    placeholder: "N",
    description: "seconds that an agent may rest without a response file",
  },
  {
    name: "response-timeout",
    key: "handoff.response_timeout",
    type: "number",
    placeholder: "N",
    description: "seconds that a whole turn may take",
  },
  {
    name: "auto-accept",
    key: "permissions.auto_accept",
    type: "switch",
    value: true,
    description: "answer permission prompts of agents with yes; only for work in a sandbox",
  },
  {
    name: "no-cleanup",
    key: "cleanup_on_exit",
    type: "switch",
    value: false,
    description: "leave the agents' panes open at the end, for a person to attach to",
  },
  {
    name: "tmux-socket",
    key: "tmux.socket",
    type: "string",
    placeholder: "NAME",
    description: "the tmux server to use (tmux -L NAME) instead of one of the run's own",
  },
  {
    name: "tmux-session",
    key: "tmux.session",
    type: "string",
    placeholder: "NAME",
    description: "an existing tmux session in which the agents get their windows",
  },
] as const;
