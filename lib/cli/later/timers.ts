import { UsageError } from "../../base/errors.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { readProc } from "../../base/ports/process_table.ts";
import {
  type CommandResult,
  type CommandSpec,
  type ProcessRunner,
  systemProcessRunner,
} from "../../base/ports/process.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { shellQuote } from "../../shell/mod.ts";

/** What carries out is not on this machine, or does not run. */
export class NoTimerError extends UsageError {
  override name = "NoTimerError";
}

export interface Timer {
  /** For people: when it begins. */
  readonly when: string;
  /** The command that takes it back. */
  readonly takenBackBy: string;
}

export interface TimerOptions {
  /** A time of day for cron; for at, whatever at reads. */
  readonly time: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runner?: ProcessRunner;
  readonly signal?: AbortSignal;
}

export const LIMITS = { timeoutMs: 30_000, clearEnv: true } as const;

/**
 * Has at carry out a script, once.
 *
 * @throws {UsageError} where at reads no time in that text, is not there, or its daemon does not run
 */
export async function planOnce(
  script: string,
  { time, env, runner = systemProcessRunner, signal }: TimerOptions,
): Promise<Timer> {
  const call = (argv: CommandSpec["argv"], stdin?: string) =>
    ask(runner, { argv, env, signal, stdin }, "Install it: on Debian, apt-get install at.");
  const words = time.trim().split(/\s+/);
  // What at takes for an option is no time.
  if (!/^[\dA-Za-z]/.test(words[0] ?? "")) {
    throw new UsageError(`Cannot use --at ${time}: that is no time`, { hint: TIMES });
  }
  const { code, stderr } = await call(["at", ...words], script);
  const [, job, when] = /^job (\d+) at (.+)$/m.exec(stderr) ?? [];
  if (code !== 0 || job === undefined || when === undefined) {
    throw new UsageError(`Cannot use --at ${time}: at says "${said(stderr)}"`, { hint: TIMES });
  }
  if (/no atd running|can't open .*atd/i.test(stderr)) {
    await call(["atrm", job]);
    throw new NoTimerError("Cannot begin anything later: atd, which carries out the jobs of at, does not run", {
      hint: "Start it: systemctl enable --now atd",
    });
  }
  return { when: `on ${when}`, takenBackBy: `atrm ${job}` };
}

const TIMES = 'Times are those of at: 02:00, "02:00 tomorrow", "now + 3 hours", "22:00 2031-05-17".';

/** Days of the week as cron counts them. */
const DAYS: Readonly<Record<string, string>> = {
  day: "*",
  weekday: "1-5",
  monday: "1",
  tuesday: "2",
  wednesday: "3",
  thursday: "4",
  friday: "5",
  saturday: "6",
  sunday: "0",
};

export interface AgainOptions {
  readonly script: string;
  /** Where the script is kept. */
  readonly folder: string;
  readonly title: string;
  readonly days: string;
}

/**
 * Has cron carry out a script again and again: a line is added to this person's crontab, whose others stay.
 *
 * @param days such as `weekday`, or `monday,thursday`
 * @throws {UsageError} where that are no days or no time of day, cron is not there, or does not run
 */
export async function planAgain(
  { script, folder, title, days }: AgainOptions,
  { time, env, runner = systemProcessRunner, signal }: TimerOptions,
): Promise<Timer & { readonly line: string }> {
  const fields = cronTime(days, time);
  if (!await runsCron(runner)) {
    throw new NoTimerError("Cannot begin anything again and again: cron does not run on this machine", {
      hint: "Start it: systemctl enable --now cron (on some systems, crond).",
    });
  }
  const call = (argv: CommandSpec["argv"], stdin?: string) =>
    ask(runner, { argv, env, signal, stdin }, "Install it: on Debian, apt-get install cron.");
  const before = await call(["crontab", "-l"]);
  // Where there are no lines yet, that is told as an error.
  if (before.code !== 0 && !/\bno crontab for\b/i.test(before.stderr)) {
    throw new UsageError(`Cannot read your crontab: crontab says "${said(before.stderr)}"`);
  }
  if (folder.includes("\n")) throw new UsageError("Cannot add a line to your crontab: a line break is in its path");
  const path = `${folder}/${(await sha256Hex(script)).slice(0, 12)}.sh`;
  await replaceFile(path, script, { durable: true });
  // A percent sign would end the command.
  const line = `${fields} /bin/sh ${shellQuote(path)}`.replaceAll("%", "\\%");
  const kept = before.code === 0 ? before.stdout : "";
  if (before.truncated || kept.includes("\ufffd")) {
    throw new UsageError("Cannot add a line to your crontab: it would not stay as it is", {
      hint: `It is very long, or no UTF-8. Add this line yourself, with crontab -e: ${line}`,
    });
  }
  const planned = { when: `every ${days} at ${time}`, takenBackBy: "crontab -e", line };
  if (kept.split("\n").includes(line)) return planned;
  const own = `# panewright: ${sanitizeLine(title)}\n${line}\n`;
  const { code, stderr } = await call(
    ["crontab", "-"],
    `${kept}${kept === "" || kept.endsWith("\n") ? "" : "\n"}${own}`,
  );
  if (code !== 0) throw new UsageError(`Cannot add a line to your crontab: crontab says "${said(stderr)}"`);
  return planned;
}

/** @throws {UsageError} */
export function cronTime(days: string, time: string): string {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(time.trim()) ?? [];
  if (hours === undefined || minutes === undefined) {
    throw new UsageError(`Cannot use --at ${time} with --every: that is no time of day`, {
      hint: "Name hours and minutes, such as 02:00.",
    });
  }
  return `${Number(minutes)} ${Number(hours)} * * ${requireDays(days).map((day) => DAYS[day]).join(",")}`;
}

/** @throws {UsageError} where one is no day */
export function requireDays(days: string): readonly string[] {
  const named = days.split(",").map((day) => day.trim().toLowerCase());
  const unknown = named.find((day) => !Object.hasOwn(DAYS, day));
  if (unknown !== undefined) {
    throw new UsageError(`Cannot use --every ${days}: "${unknown}" is no day`, {
      hint: `Days are ${Object.keys(DAYS).join(", ")}; several have a comma between them.`,
    });
  }
  return named;
}

/** macOS starts its own when somebody has a crontab. */
async function runsCron(runner: ProcessRunner): Promise<boolean> {
  if (Deno.build.os !== "linux") return true;
  return (await readProc("stat", ["grep", "-hoE", "^[0-9]+ \\((cron|crond|fcron|cronie)\\) "], runner)).trim() !== "";
}

async function ask(
  runner: ProcessRunner,
  { signal, stdin, env, argv }: Pick<CommandSpec, "argv"> & {
    readonly env: Readonly<Record<string, string>>;
    readonly signal: AbortSignal | undefined;
    readonly stdin: string | undefined;
  },
  hint: string,
): Promise<CommandResult> {
  const more = { ...(signal && { signal }), ...(stdin === undefined ? {} : { stdin }) };
  try {
    return await runner.run({ argv, env: { ...env, LC_ALL: "C" }, ...LIMITS, ...more });
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    throw new NoTimerError(`Cannot begin anything later: ${argv[0]} is not on this machine`, { hint });
  }
}

export function said(stderr: string): string {
  return sanitizeLine(stderr.trim().split("\n").at(-1) ?? "");
}
