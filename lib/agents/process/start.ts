import type { AgentStart } from "../driven_agent.ts";
import type { CliStepProvider } from "../provider.ts";
import type { Request } from "../../policy/request.ts";
import type { AskLaunchers } from "./cli.ts";

/** What an agent of a CLI with hooks is started with. */
export interface CliStart extends AgentStart<CliStepProvider> {
  readonly ask?: AskLaunchers;
  /** What is not kept where the CLI does not run its hooks: its calls are not judged, or not refused. */
  readonly requiresHooks?: "to_judge" | "to_refuse" | undefined;
  /** Whether it may start although what it types into commands is not judged. @default {false} */
  readonly acceptsTypedInput?: boolean;
  /** Whether a call of the agent of this id that needs no permission is put, or runs. @default {() => true} */
  readonly isPut?: (request: Request, id: string) => boolean | Promise<boolean>;
  /** Whether the agent may go on after a command has ended. @default {() => true} */
  readonly mayGoOn?: () => boolean;
}
