import { inAnotherOrder } from "../../evidence/runner_flags.ts";
import { findProgram } from "../../run/programs.ts";
import type { TestCommand } from "../test_command.ts";
import type { DecidingCheck } from "./trial.ts";

/** Where tests that lean on the time or the place of one machine fail. */
const ZONES = ["Pacific/Kiritimati", "America/St_Johns", "UTC", "Asia/Kathmandu", "Pacific/Pago_Pago"];

const DAYS = 40;

/** Another place, and for every third time another day, in which checks are to hold as well. */
export function elsewhere(number: number, checks: readonly DecidingCheck[]) {
  const TZ = ZONES[number % ZONES.length] ?? "UTC";
  const place: Readonly<Record<string, string>> = number % 2 === 0 ? { TZ } : { TZ, LC_ALL: "C" };
  const isOrdered = checks.some(({ command }) => inAnotherOrder(command) !== undefined);
  // https://github.com/wolfcw/libfaketime: what measures how long something takes is left as it is.
  const isLater = number % 3 === 2 &&
    findProgram("faketime", { folder: "/", searchPath: Deno.env.get("PATH") ?? "" }) !== undefined;
  const told = Object.entries(place).map(([key, value]) => `${key}=${value}`).join(" ");
  return {
    env: isLater ? { ...place, FAKETIME_DONT_FAKE_MONOTONIC: "1" } : place,
    of: [told, ...(isOrdered ? ["in another order"] : []), ...(isLater ? [`${DAYS} days later`] : [])].join(", "),
    commandOf(command: TestCommand): TestCommand {
      const ordered = inAnotherOrder(command) ?? command;
      return isLater ? ["faketime", "-f", `+${DAYS}d`, ...argvOf(ordered)] : ordered;
    },
  };
}

function argvOf(command: TestCommand): readonly string[] {
  return typeof command === "string" ? ["sh", "-c", command] : command;
}
