import type { CommandResult } from "../base/ports/process.ts";

/** What is known of something that an agent CLI needs before it works by itself. */
export interface SetupWord {
  /** `unknown`: it may be there or not. */
  readonly state: "ready" | "missing" | "unknown";
  /** Half a sentence: `Logged in using ChatGPT`, `it does not trust /work yet`. */
  readonly detail: string;
  /** What the configuration or the project must be for it to work, as full sentences: nothing that a person does once. */
  readonly remedy?: string;
}

/** An agent CLI as it is about to be started. */
export interface SetupLook {
  /** A variable as the CLI gets it. */
  env(name: string): string | undefined;
  /** The person's arguments. */
  readonly args: readonly string[];
  /** A named set of settings of the CLI's own. */
  readonly profile?: string | undefined;
  /** Absolute path of the folder that it works in, links resolved. */
  readonly workdir: string;
  /** Whether a person would be asked, as in a pane. */
  readonly asksPerson: boolean;
  /** Its version as three numbers, where that is known. */
  readonly version: string | undefined;
  /** The text of a file. */
  readText(path: string): string | undefined;
  /** What is at a path; `undefined` where nothing is. */
  kindOf(path: string): "file" | "folder" | undefined;
}

/** How a CLI's login, and its trust in a folder, are found without giving it any work. */
export interface CliSetup {
  /** What files and variables show of the login by themselves; `undefined` where the CLI must be asked. */
  readonly findLogin?: (look: SetupLook) => SetupWord | undefined;
  /** What its login status comes to, with what else is known. */
  readonly judgeLogin: (said: CommandResult, look: SetupLook) => SetupWord | Promise<SetupWord>;
  /** Whether it lets an agent work in the folder without asking a person first. */
  readonly findTrust: (look: SetupLook) => SetupWord | Promise<SetupWord>;
}

/** The first line that a CLI has said something in; empty where it has said nothing. */
export function firstLineOf({ stdout, stderr }: Pick<CommandResult, "stdout" | "stderr">): string {
  const lines = [...stdout.split("\n"), ...stderr.split("\n")].map((line) => line.trim());
  return lines.find((line) => line !== "" && !line.startsWith("WARNING")) ?? "";
}

/**
 * What a CLI's own login status says, where nothing else is known. A failure in other words says nothing of the login:
 * an older version may not know the command.
 */
export function loginWord(said: CommandResult): SetupWord {
  const line = firstLineOf(said);
  if (said.code === 0) return { state: "ready", detail: line };
  if (/\bnot logged in\b/i.test(line)) return { state: "missing", detail: line };
  return { state: "unknown", detail: `it does not say whether it is logged in${line === "" ? "" : `: ${line}`}` };
}

/** Whether a variable is there, and not empty. */
export function isSet({ env }: Pick<SetupLook, "env">, name: string): boolean {
  return (env(name) ?? "") !== "";
}

/** What a read comes to, and what counts where something cannot be read. */
export function readOr<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** What can be said of the trust in a folder: that it has it, and that nobody can tell. */
export function trustWords(workdir: string): Readonly<Record<"trusted" | "unknown", SetupWord>> {
  return {
    trusted: { state: "ready", detail: `it trusts ${workdir}` },
    unknown: { state: "unknown", detail: `cannot tell whether it trusts ${workdir}` },
  };
}

/** The folder and all above it, the innermost first. */
export function foldersAbove(folder: string): readonly string[] {
  const parts = folder.split("/").filter((part) => part !== "");
  return [...parts.map((_part, index) => `/${parts.slice(0, parts.length - index).join("/")}`), "/"];
}
