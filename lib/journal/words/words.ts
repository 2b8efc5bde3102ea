import type { MessageWay } from "../../base/terms.ts";
import type { WorkerStatus } from "../workers.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

/**
 * What an agent does, by its status, in words that say what is waited for.
 *
 * @param protocol how it is driven; missing where that is not known, or it is in a pane
 */
export function workerStatusText(status: WorkerStatus, protocol?: "acp" | "process"): string {
  return (protocol === undefined ? undefined : WITHOUT_SCREEN[status]) ?? statusText(status);
}

const WITHOUT_SCREEN: Readonly<Partial<Record<WorkerStatus, string>>> = {
  waiting_user_answer: "waiting for an answer to its request",
  error: "its turn has failed",
  unknown: "what it does is not known, asking again",
};

function statusText(status: WorkerStatus): string {
  switch (status) {
    case "starting":
      return "starting";
    case "prompting":
      return "about to be sent its prompt";
    case "prompted":
      return "prompt sent";
    case "idle":
    case "completed":
      return "at rest, waiting for its response file";
    case "processing":
      return "working";
    case "waiting_user_answer":
      return "waiting for an answer to its dialog";
    case "error":
      return "shows an error";
    case "unknown":
      return "its screen is not recognised, looking again";
    case "limited":
      return "its usage limit is reached";
    case "lost":
      return "its program has ended";
  }
}

/** Seconds as people read them. */
export function duration(seconds: number): string {
  if (seconds < 1 && seconds >= 0.05) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  const two = (value: number) => String(value).padStart(2, "0");
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h ${two(Math.floor(whole % 3600 / 60))}m`;
}

export function age(seconds: number): string {
  if (seconds < 60) return `${Math.max(0, Math.floor(seconds))} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`;
}

export function byteSize(count: number): string {
  if (count < 1024) return plural(count, "byte");
  if (count < 1024 ** 2) return `${(count / 1024).toFixed(1)} KiB`;
  return count < 1024 ** 3 ? `${(count / 1024 ** 2).toFixed(1)} MiB` : `${(count / 1024 ** 3).toFixed(1)} GiB`;
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

export function ago(at: string, now: Date): string {
  return `${forHowLong(at, now)} ago`;
}

export function forHowLong(from: string, to: Date): string {
  return duration(Math.max(0, Math.floor((to.getTime() - Date.parse(from)) / 1000)));
}

export function localTime(at: string): string {
  const moment = new Date(at);
  if (Number.isNaN(moment.getTime())) return sanitizeLine(at);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${moment.getFullYear()}-${two(moment.getMonth() + 1)}-${two(moment.getDate())}`;
  return `${day} ${timeOfDay(moment)}`;
}

/** A text with the moments that stand in it, ISO 8601, as its reader's times. */
export function withLocalTimes(
  { text, times = [] }: { readonly text: string; readonly times?: readonly string[] | undefined },
): string {
  return times.reduce((all, at) => all.replaceAll(at, localTime(at)), text);
}

export function timeOfDay(moment: Date): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(moment.getHours())}:${two(moment.getMinutes())}:${two(moment.getSeconds())}`;
}

export function senderText({ by, who }: { readonly by: MessageWay; readonly who?: string | undefined }): string {
  const texts: Readonly<Record<MessageWay, string>> = {
    command: "a person or program (panewright send)",
    http: "a person or program over HTTP",
    mcp: "a model over MCP",
  };
  return who === undefined ? texts[by] : `${texts[by]} (${sanitizeLine(who)})`;
}
