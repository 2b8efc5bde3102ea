import { dirname } from "@std/path/posix";
import { UsageError } from "../../base/errors.ts";
import { makeFoldersBelow, replaceFile } from "../../base/ports/own_files.ts";
import { type CommandSpec, systemProcessRunner } from "../../base/ports/process.ts";
import { sha256Hex } from "../../base/text/digest.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { type AgainOptions, LIMITS, requireDays, said, type Timer, type TimerOptions } from "./timers.ts";

/** What is carried out, and when. */
interface Planned extends Omit<AgainOptions, "days"> {
  /** The days on which it is carried out again and again. @default once */
  readonly days: string | undefined;
  readonly now: Date;
}

/**
 * Has the person's own manager of services carry out a script: once by a timer that is gone with the machine's next start,
 * or again and again by a timer of theirs.
 *
 * @returns `undefined` where this machine has no such manager
 * @throws {UsageError} where that is no time that is read here, or systemd refuses it
 */
export async function planBySystemd(
  { days, folder, now, script, title }: Planned,
  { time, env, runner = systemProcessRunner, signal }: TimerOptions,
): Promise<Timer | undefined> {
  const call = (argv: CommandSpec["argv"]) =>
    runner.run({ argv, env: { ...env, LC_ALL: "C" }, ...LIMITS, ...(signal && { signal }) }).catch((error) => {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
      return { code: 127, stdout: "", stderr: "it is not on this machine" };
    });
  if ((await call(["systemctl", "--user", "show-environment"])).code !== 0) return undefined;
  const ask = async (argv: CommandSpec["argv"]) => {
    const { code, stderr } = await call(argv);
    if (code !== 0) throw new UsageError(`Cannot begin anything later: ${argv[0]} says "${said(stderr)}"`);
  };
  const once = days === undefined ? onceAt(time, now) : undefined;
  const name = `panewright-${(await sha256Hex(`${script} ${once ?? days}`)).slice(0, 12)}`;
  const path = `${folder}/${name}.sh`;
  // Nobody needs it again.
  const own = once === undefined ? script : script.replace("\n", '\nrm -f -- "$0"\n');
  await replaceFile(path, own, { durable: true });
  const ends = (await call(["loginctl", "show-user", "--property=Linger", "--value"])).stdout.trim() === "yes"
    ? ""
    : ', if you are logged in then, or "loginctl enable-linger" was called';
  if (once !== undefined) {
    const timer = [`--unit=${name}`, `--on-calendar=${once}`, "--timer-property=AccuracySec=1s"];
    await ask(["systemd-run", "--user", "--quiet", ...timer, "--property=KillMode=process", "/bin/sh", path]);
    return { when: `on ${once}${ends}`, takenBackBy: `systemctl --user stop ${name}.timer` };
  }
  const units = await unitsFolder(env);
  await replaceFile(`${units}/${name}.service`, serviceOf(path, title), { durable: true });
  await replaceFile(`${units}/${name}.timer`, timerOf({ days: days ?? "", time, title }), { durable: true });
  await ask(["systemctl", "--user", "daemon-reload"]);
  await ask(["systemctl", "--user", "enable", "--quiet", "--now", `${name}.timer`]);
  return { when: `every ${days} at ${time}${ends}`, takenBackBy: `systemctl --user disable --now ${name}.timer` };
}

const UNIT_MS: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: 86_400_000 };

/**
 * The point of local time that a text names, as systemd reads it.
 *
 * @throws {UsageError}
 */
export function onceAt(time: string, now: Date): string {
  const [, count, unit = ""] = /^now ?\+ ?(\d{1,4}) ?(minute|hour|day)s?$/i.exec(time.trim()) ?? [];
  if (count !== undefined) return textOf(new Date(now.getTime() + Number(count) * UNIT_MS[unit.toLowerCase()]!));
  const [, hours, minutes, day = ""] =
    /^([01]?\d|2[0-3]):([0-5]\d)(?:\s+(today|tomorrow|\d{4}-\d\d-\d\d))?$/i.exec(time.trim()) ?? [];
  if (hours === undefined) {
    throw new UsageError(`Cannot use --at ${time}: the timers of systemd, in the place of at here, do not read it`, {
      hint: 'Name a time as 02:00, "02:00 tomorrow", "02:00 2031-05-17" or "now + 3 hours"; at reads more.',
    });
  }
  const [year, month, date] = day.includes("-")
    ? day.split("-").map(Number)
    : [now.getFullYear(), now.getMonth() + 1, now.getDate() + (day.toLowerCase() === "tomorrow" ? 1 : 0)];
  const at = new Date(year!, month! - 1, date, Number(hours), Number(minutes));
  if (at <= now && day === "") at.setDate(at.getDate() + 1);
  if (day.includes("-") && !textOf(at).startsWith(day)) {
    throw new UsageError(`Cannot use --at ${time}: there is no such day`);
  }
  if (at > now) return textOf(at);
  throw new UsageError(`Cannot use --at ${time}: that is past`);
}

function textOf(at: Date): string {
  const [month, date, hours, minutes, seconds] = [
    ...[at.getMonth() + 1, at.getDate(), at.getHours(), at.getMinutes(), at.getSeconds()],
  ].map((part) => String(part).padStart(2, "0"));
  return `${at.getFullYear()}-${month}-${date} ${hours}:${minutes}:${seconds}`;
}

async function unitsFolder(env: TimerOptions["env"]): Promise<string> {
  const config = env["XDG_CONFIG_HOME"] || `${env["HOME"]}/.config`;
  await Deno.mkdir(dirname(config), { recursive: true });
  return await makeFoldersBelow(config, "systemd/user");
}

/** What it begins detaches, and stays. */
function serviceOf(path: string, title: string): string {
  const command = `/bin/sh "${path.replace(/[\\"]/g, "\\$&").replaceAll("%", "%%").replaceAll("$", "$$$$")}"`;
  return `${headOf(title)}\n[Service]\nType=oneshot\nKillMode=process\nExecStart=${command}\n`;
}

function timerOf({ days, time, title }: { readonly days: string; readonly time: string; readonly title: string }) {
  const named = requireDays(days).map((day) => day === "day" ? "Mon..Sun" : day === "weekday" ? "Mon..Fri" : day);
  const when = `${named.join(",")} *-*-* ${time.trim()}:00`;
  return `${headOf(title)}\n[Timer]\nOnCalendar=${when}\nAccuracySec=1s\n\n[Install]\nWantedBy=timers.target\n`;
}

function headOf(title: string): string {
  return `[Unit]\nDescription=panewright: ${sanitizeLine(title).replaceAll("%", "%%").replace(/\\$/, "")}\n`;
}
