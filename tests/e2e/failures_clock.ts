/**
 * Loaded before panewright (`deno run --preload`): gives it a wall clock that is changed by CLOCK_SET_BY milliseconds
 * as soon as the file CLOCK_SET_WHEN is there. Everything else, such as the times of files, stays as it is.
 */
const setByMs = Number(Deno.env.get("CLOCK_SET_BY"));
const flag = Deno.env.get("CLOCK_SET_WHEN") ?? "";
const RealDate = Date;

function offsetMs(): number {
  try {
    Deno.statSync(flag);
    return setByMs;
  } catch {
    return 0;
  }
}

globalThis.Date = class extends RealDate {
  constructor(...given: readonly unknown[]) {
    super(...(given.length === 0 ? [RealDate.now() + offsetMs()] : given) as [number]);
  }

  static override now(): number {
    return RealDate.now() + offsetMs();
  }
} as DateConstructor;
