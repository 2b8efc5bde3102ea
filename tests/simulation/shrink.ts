import { type Night, type NightPlan, playNight } from "./night.ts";

/** What a violation is about, whatever numbers and names it has. */
export function kindOf(violation: string): string {
  return violation.split("\n")[0]!.replaceAll(/[0-9a-f]*\d[0-9a-f]*/g, "N").replaceAll(
    /(?:, )?night-agent \(N\)/g,
    " agent",
  ).slice(0, 120);
}

function isSame(night: Night, kind: string): boolean {
  return night.violations.some((violation) => kindOf(violation) === kind);
}

/** Which troubles of a night that failed it takes, by their places: without any other one it fails the same way. */
export async function shrink(
  plan: NightPlan,
  violation: string,
): Promise<{ readonly kept: readonly number[]; readonly night: Night }> {
  const kind = kindOf(violation);
  let kept: readonly number[] = plan.troubles.map((_, place) => place);
  let night: Night | undefined;
  const play = (places: readonly number[]) =>
    playNight({ ...plan, troubles: places.map((place) => plan.troubles[place]!) });
  // What was needed beside others may not be without them.
  for (let before = Infinity; kept.length < before;) {
    before = kept.length;
    for (const place of kept) {
      const fewer = kept.filter((one) => one !== place);
      const without = await play(fewer);
      if (!isSame(without, kind)) continue;
      kept = fewer;
      night = without;
    }
  }
  return { kept, night: night ?? await play(kept) };
}
