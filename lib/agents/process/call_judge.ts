import type { Request } from "../../policy/request.ts";

/** What is said to a call. */
export type CallVerdict =
  /** It is as if nobody had been asked: the CLI's own settings decide. */
  | { readonly decision: "pass" }
  /** The permission is given. */
  | { readonly decision: "allow" }
  /** It does not run; the reason is a full sentence for the agent. */
  | { readonly decision: "deny"; readonly reason: string }
  /** A person has to decide: the agent is stopped, and `question` goes to them. */
  | { readonly decision: "ask"; readonly question: string };

/** Who decides about an agent's calls. */
export interface CallJudge {
  /** Whether it has to be asked about commands and files that need no permission, too; a CLI that cannot is refused. */
  readonly judgesAll: boolean;
  /** @throws when the decision cannot be written down */
  judge(call: Request): Promise<CallVerdict>;
}
