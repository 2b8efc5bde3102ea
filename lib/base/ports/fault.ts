import { present } from "../schema.ts";
export interface Fault {
  /** Before it happens, in the middle of it, or once it is on the disk. */
  readonly when: "before" | "in" | "after";
  /**
   * A record of the journal: `number` counts those that this process writes, from 1. Or the move of a response to the
   * archive: the first one whose number there is `number` or higher. Or the change of which rules are installed. Or the
   * claim of a request's key.
   */
  readonly what: "record" | "archive" | "rules" | "claim";
  /** The type of the records that are counted. @default {all of them} */
  readonly type?: string;
  readonly number: number;
}

/** The variable that names a fault: `before-record:3`, `after-record:run_finished:1`, `in-archive:1`. */
const FAULT_VARIABLE = "PANEWRIGHT_FAULT";

/** The fault of one kind that the environment names; undefined without one, or if the environment may not be read. */
export function faultOfEnvironment(what: Fault["what"]): Fault | undefined {
  const { state } = Deno.permissions.querySync({ name: "env", variable: FAULT_VARIABLE });
  if (state !== "granted") return undefined;
  const text = Deno.env.get(FAULT_VARIABLE) ?? "";
  const [, when, of, type, number] =
    /^(before|in|after)-(record|archive|rules|claim):(?:([a-z_]+):)?(\d+)$/.exec(text) ?? [];
  if (of !== what) return undefined;
  return { when: when as Fault["when"], what, ...present({ type }), number: Number(number) };
}

export function faultText({ when, what, type, number }: Fault): string {
  return [`${when}-${what}`, ...(type === undefined ? [] : [type]), number].join(":");
}

/** Kills this process, with no chance to clean up. */
export function killSelf(): void {
  Deno.kill(Deno.pid, "SIGKILL");
}
