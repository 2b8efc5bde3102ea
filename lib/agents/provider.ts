import type { Host } from "../base/ports/host.ts";
import type { DialogInfo, DialogKind } from "../screen/dialog.ts";
import type { RulePack } from "../screen/rules.ts";
import type { ScreenData } from "../screen/screen_data.ts";
import type { AcpProvider } from "./acp/acp_provider.ts";
import type { AnswerWay, DialogAnswer } from "./pane/dialog_keys.ts";
import type { FailureTable } from "./failure.ts";
import type { HeadlessProvider } from "./process/cli.ts";
import type { SandboxSupport } from "./sandbox.ts";
import type { WholeSupport } from "./whole_support.ts";
import type { HookCommand } from "./hook_command.ts";
import type { HookTrial } from "./hook_trial.ts";
import type { AgentLaunch, LaunchPlan } from "./launch_plan.ts";
import type { CliSetup } from "./setup.ts";
import type { QuestionDialogs } from "./pane/question_page.ts";
import type { ObeyedFiles } from "./obeys.ts";
import type { TypedInput } from "./typed_input.ts";
import type { StatusSource, StatusSourceContext } from "./pane/status_source.ts";

export type { LaunchPlan } from "./launch_plan.ts";

/** The id of an agent CLI, as configurations name it: `codex`. */
export type ProviderId = string;

/** What a role's agent is to be started with; everything optional comes from the configuration. */
export interface LaunchRequest extends AgentLaunch {
  /** The role's name; it becomes the window's name. */
  readonly role: string;
  /** Id (a UUID) of the CLI's own session that the agent resumes. */
  readonly resume?: string;
  /** A named set of settings of the CLI's own (`codex --profile`). */
  readonly profile?: string;
  /**
   * Whether everything that the agent says must stay readable, not only what fits on the screen.
   *
   * @default {false}
   */
  readonly keepScrollback?: boolean;
  /** What the CLI asks before it opens a permission dialog, where it has hooks. */
  readonly hook?: HookCommand;
  /** What the CLI asks before each call, where it has hooks: it is refused, or left to the CLI. */
  readonly callHook?: HookCommand;
  /** What the CLI tells that a prompt was taken, and that a turn has ended, where it has hooks. */
  readonly turnHook?: HookCommand;
}

/** How text is handed to the agent, in milliseconds. */
export interface SubmitProfile {
  /**
   * How long the composer must have shown the text, unchanged, before Enter, so that Enter is not taken for a part of
   * the paste.
   */
  readonly pastedToEnterMs: number;
  /** How long the composer may take to show the text, and the screen to show that it was submitted. */
  readonly proofTimeoutMs: number;
}

/** The provider's command-line program, for messages and for `doctor`. */
export interface CliProgram {
  /** What is looked up on PATH. */
  readonly program: string;
  /** What is started in its place where it is only a launcher; `undefined` where it is not. @default {() => undefined} */
  readonly nativeProgram?: (host: Host) => string | undefined;
  /** Arguments that print the version. */
  readonly versionArgs: readonly string[];
  /** Arguments that exit with 0 when the person is logged in; `undefined` where there is no login. */
  readonly loginStatusArgs?: readonly string[];
  /** What is known of its login and of its trust in folders; missing where it needs neither. */
  readonly setup?: CliSetup;
  /** How it is installed, as a full sentence. */
  readonly installHint: string;
  /** What npm calls its package; missing where it has none. */
  readonly npmPackage?: string;
  /** The first version that is known to work, as three numbers; missing where any is taken. */
  readonly minVersion?: string;
  /** The first major version of Node.js that it runs on; missing where it runs on any, or without it. */
  readonly minNode?: number;
}

/** What is known of an agent that a person sees: how it runs in a pane. */
export interface TerminalProvider {
  readonly rules: RulePack;
  /** These rules as they are written; missing where no pack of rules can take their place. */
  readonly screen?: ScreenData;
  /** Whether rows that the terminal wrapped are joined in a capture, as in the recordings of this provider's rules. */
  readonly joinWrappedRows: boolean;
  readonly submit: SubmitProfile;
  /** What a person can do about each dialog that may stop a start, as full sentences. */
  readonly startupRemedies: Readonly<Partial<Record<DialogKind, string>>>;
  /**
   * How a dialog is answered, for this once: by the labels of its choices. `undefined` for a dialog that only a person
   * may answer, and where the plain answer is not among the choices.
   */
  answerWay(dialog: DialogInfo, answer: DialogAnswer): AnswerWay | undefined;
  /** How its questions to the person are answered; missing where only a person does, in the pane. */
  readonly questionDialogs?: QuestionDialogs;
  /** Whether the CLI asks `LaunchRequest.hook` before it opens a permission dialog. @default {false} */
  readonly hasPermissionHook?: boolean;
  /** Whether its record tells what a session uses. @default {false} */
  readonly tellsTokens?: boolean;
  /** Whether the CLI tells `LaunchRequest.turnHook` of its turns. @default {false} */
  readonly hasTurnHooks?: boolean;
  /** How these hooks can be tried; missing where they cannot. */
  readonly hookTrial?: HookTrial;
  launch(request: LaunchRequest, host: Host): LaunchPlan | Promise<LaunchPlan>;
  /** Defuses what the composer would act upon instead of sending it: a leading `!` or `/`, a trailing `@word`. */
  guardPrompt(text: string): string;
  /** A record of its status that the CLI keeps of its own accord; missing where it keeps none. */
  openStatusSource?(context: StatusSourceContext): StatusSource;
}

/** What a provider's CLI can do, where that differs from one to another. */
interface ProviderCapabilities {
  /**
   * The first version of its CLI in which a step's tools are refused files before they write them: `undefined` where
   * none is.
   */
  readonly refusesWritesSince: string | undefined;
  /** The first of a person's arguments that takes the place of what refuses them. @default {() => undefined} */
  readonly findHookLoss?: (args: readonly string[]) => string | undefined;
}

/** Everything that panewright knows of one agent CLI. Plain data and pure functions. */
export interface Provider {
  readonly id: ProviderId;
  /** What people call it: `Claude Code`. */
  readonly label: string;
  /** The CLI's program; missing for a provider that is part of panewright, or whose program a configuration names. */
  readonly cli?: CliProgram;
  /**
   * Whether a configuration has added it: its program is the configuration's word, and is not run before the person
   * trusts that.
   *
   * @default {false}
   */
  readonly isOfConfig?: boolean;
  /** Missing where it cannot run in a pane. */
  readonly terminal?: TerminalProvider;
  /** Missing where it cannot run a step without a terminal. */
  readonly headless?: HeadlessProvider;
  /** Missing where it is not driven over the Agent Client Protocol. */
  readonly acp?: AcpProvider;
  /** What its CLI says of turns that failed. @default {[]} each is of the class `other` */
  readonly failures?: FailureTable;
  /** Missing where the CLI brings no sandbox. */
  readonly sandbox?: SandboxSupport;
  /** How it works in a sandbox around it, or the CLI that keeps its state in the same way. Missing where that is not known. */
  readonly whole?: WholeSupport | ProviderId | undefined;
  /** Missing where its CLI cannot type into commands that run. */
  readonly typedInput?: TypedInput;
  readonly capabilities: ProviderCapabilities;
  /** The variable that its CLI gives to the commands of its agent, and to none of its own helpers. */
  readonly commandVariable?: string;
  /** What it obeys of a working directory, or the id of an agent that obeys the same. @default all that is known */
  readonly obeys?: ObeyedFiles | ProviderId;
}

/** A provider whose agents can run in a pane. */
export type PaneProvider = Provider & { readonly terminal: TerminalProvider };

/** A provider whose agents are driven over the Agent Client Protocol. */
export type AcpAgentProvider = Provider & { readonly acp: AcpProvider };

/** A provider whose CLI runs a step without a terminal. */
export type CliStepProvider = Provider & { readonly headless: HeadlessProvider };

/** A provider whose agents can run a step: its CLI without a terminal, or else over the Agent Client Protocol. */
export type StepProvider = CliStepProvider | AcpAgentProvider;

/** Whether a provider's CLI runs a step without a terminal. */
export function isCliStepProvider(provider: Provider): provider is CliStepProvider {
  return provider.headless !== undefined;
}

/** A provider whose agents can play a role: in a pane, or over the Agent Client Protocol. */
export type RoleProvider = PaneProvider | AcpAgentProvider;
