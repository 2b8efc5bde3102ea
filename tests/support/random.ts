/** A seeded source of numbers, so that a property test that failed can be repeated (mulberry32). */
export interface Random {
  /** A whole number from 0 to `below` - 1. */
  int(below: number): number;
  pick<T>(from: readonly T[]): T;
}

/** The same seed gives the same numbers. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const int = (below: number) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
  return { int, pick: (from) => from[int(from.length)]! };
}
