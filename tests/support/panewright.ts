import { exists } from "@std/fs";
import { checkObject } from "./check_output.ts";
import { denoDirectory, mainModule } from "./run_panewright.ts";

/** One way in which a person starts panewright. */
export interface PanewrightCommand {
  /** `source` or `bundle`. */
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  /** Variables that this way needs. */
  readonly env: Readonly<Record<string, string>>;
}

const REPOSITORY = new URL("../../", import.meta.url).pathname;

/** What the test task has made of the sources; where a test is run by itself, the sources, and the bundle if there is one. */
export async function panewrightCommands(): Promise<readonly PanewrightCommand[]> {
  // A home of its own is no reason to fetch and compile everything again.
  const env = { DENO_DIR: denoDirectory(), DENO_NO_UPDATE_CHECK: "1" };
  const run = (...args: readonly string[]): PanewrightCommand["argv"] => [Deno.execPath(), "run", "--quiet", ...args];
  const tested = mainModule();
  const least = run(`--config=${REPOSITORY}deno.json`, "-P=panewright", tested);
  if (tested.endsWith(".mjs")) return [{ name: "bundle", argv: least, env }];
  const bundle = `${REPOSITORY}dist/panewright.mjs`;
  return [
    { name: "source", argv: least, env },
    ...(await exists(bundle) ? [{ name: "bundle", argv: run("--allow-all", bundle), env }] : []),
  ];
}

/** The first of them. */
export async function panewrightFromSource(): Promise<PanewrightCommand> {
  const [source] = await panewrightCommands();
  if (source === undefined) throw new TypeError("There is no main module");
  return source;
}

/** From the bundle, where it is made; otherwise from source. */
export async function panewrightThatStartsFast(): Promise<PanewrightCommand> {
  return (await panewrightCommands()).find(({ name }) => name === "bundle") ?? await panewrightFromSource();
}

/** The events of a run with `--json`: one object a line and nothing else. */
export function parseEvents(stdout: string): readonly PrintedEvent[] {
  const events = stdout.split("\n").filter((line) => line !== "").map((line) => JSON.parse(line));
  for (const event of events) checkObject(event);
  return events;
}

/** An event as printed: its type, and the fields that tests look at. */
export interface PrintedEvent {
  readonly type: string;
  readonly role?: string;
  readonly protocol?: string;
  readonly round?: number;
  readonly cycle?: number;
  readonly rounds?: number;
  readonly usage?: Readonly<Record<string, { readonly inputTokens: number }>>;
  readonly usageByRole?: Readonly<Record<string, unknown>>;
  readonly verdict?: string;
  readonly passed?: boolean;
  readonly archivedAs?: string;
  readonly outcome?: string;
  readonly status?: string;
  readonly record?: string;
  readonly files?: readonly string[];
  readonly outside?: readonly string[];
}
