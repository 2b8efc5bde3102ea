import type { Request } from "../../policy/request.ts";

export type CallVerdict =
  /** It is as if nobody had been asked: the CLI's own settings decide. */
  | { readonly decision: "pass" }
  | { readonly decision: "allow" }
  | { readonly decision: "deny"; readonly reason: string }
  | { readonly decision: "ask"; readonly question: string };

export interface CallJudge {
  /** Whether it has to be asked about commands and files that need no permission, too; a CLI that cannot is refused. */
  readonly judgesAll: boolean;
  /** Whether the person has accepted that what is typed into commands is not judged. @default {false} */
  readonly acceptsTypedInput?: boolean;
  /** @throws when the decision cannot be written down */
  judge(call: Request): Promise<CallVerdict>;
}
