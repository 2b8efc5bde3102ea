import { resolve } from "@std/path/posix";
import type { TestCommand } from "../jobs/test_command.ts";
import { type Contract, type ContractFile, contractKey, readBound, readContractText } from "../run/contract.ts";
import { namedScripts, projectFiles } from "../shell/named_scripts.ts";
import { shellJoin } from "../shell/quote.ts";
import { DEFAULT_CONFIG_FILE } from "./default_file.ts";
import type { InputFiles } from "./input_files.ts";
import { isKeyed, valueAt } from "./source.ts";

/**
 * What a run is bound to: the texts that its plan was made of, and those of the scripts that its commands name.
 *
 * @param bound `except`: a file that the config file names, and that is read once
 */
export function contractOf(
  { workdir, files, filePath, cwd }: {
    readonly workdir: string;
    readonly files: InputFiles["known"];
    readonly filePath: string | undefined;
    readonly cwd: string;
  },
  { commands, except }: { readonly commands: readonly TestCommand[]; readonly except?: string },
): Contract {
  const once = except === undefined ? undefined : resolve(filePath ?? cwd, "..", except);
  const known = [...files].filter(([path]) => path !== once)
    .map(([path, { text }]) => [contractKey(workdir, path), text] as const);
  const texts = new Map(known);
  const contract: Record<string, ContractFile> = {};
  const add = (kind: ContractFile["kind"], path: string) => {
    const key = contractKey(workdir, path);
    // What trust was about is what was read for it.
    const text = texts.get(key) ?? readBound(path, kind);
    if (text !== undefined) contract[key] = { kind, text };
  };
  for (const name of commands.flatMap((command) => projectFiles(commandText(command)))) {
    add("project", resolve(workdir, name));
  }
  if (filePath === undefined) {
    contract[contractKey(workdir, resolve(cwd, DEFAULT_CONFIG_FILE))] = { kind: "config", text: null };
  }
  for (const [key, text] of known) contract[key] = { kind: "config", text };
  for (const path of scriptFiles(commands, workdir)) add("script", path);
  return contract;
}

function commandText(command: TestCommand): string {
  return typeof command === "string" ? command : shellJoin(command);
}

/** The scripts that commands name, by absolute paths. What packages bring is no part of them. */
export function scriptFiles(commands: readonly TestCommand[], workdir: string): readonly string[] {
  const isFile = (path: string) => !INSTALLED.test(path) && readContractText(resolve(workdir, path)) !== undefined;
  return commands.flatMap((command) => namedScripts(commandText(command), isFile))
    .map(({ path }) => resolve(workdir, path));
}

const INSTALLED = /(?:^|\/)(?:node_modules|\.?venv)\//;

/**
 * Reads the scripts that the commands of a config file name, as trust is about them too: those of the folder that the
 * file itself has agents work in.
 */
export async function readNamedScripts(
  data: Readonly<Record<string, unknown>>,
  { baseFolder, workdir, files }: {
    readonly baseFolder: string;
    readonly workdir?: string;
    readonly files: InputFiles;
  },
): Promise<readonly string[]> {
  const { wd } = data;
  const own = resolve(baseFolder, typeof wd === "string" ? wd : ".");
  if (workdir !== undefined && workdir !== await Deno.realPath(own).catch(() => undefined)) return [];
  const paths = scriptFiles(commandsIn(data), own).map((path) => isLink(path) ? Deno.realPathSync(path) : path);
  for (const path of paths) await files.read(path);
  return paths;
}

function isLink(path: string): boolean {
  return Deno.lstatSync(path).isSymlink;
}

/** The commands that a config file has run after an agent's work. */
export function commandsIn(data: Readonly<Record<string, unknown>>): readonly TestCommand[] {
  const steps = isKeyed(data["pipelines"]) ? Object.values(data["pipelines"]).flat() : [];
  const checks = steps.flatMap((step) => [valueAt(step, ["check"])].flat());
  return [data["project_test_cmd"], ...checks.map((check) => valueAt(check, ["command"]))].filter(isCommand);
}

function isCommand(value: unknown): value is TestCommand {
  return typeof value === "string" ||
    Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
}
