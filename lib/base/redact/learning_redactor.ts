import { createRedactor, type Redactor } from "./redactor.ts";

export interface LearningRedactor extends Redactor {
  /** From now on these are secret as well, whatever their form. */
  learn(secrets: readonly string[]): void;
}

/**
 * Makes a redactor for a program that comes to know its secrets one run after another.
 *
 * @param secrets those that are known at first: see {@linkcode createRedactor}
 */
export function createLearningRedactor(secrets: readonly string[]): LearningRedactor {
  const known = new Set(secrets);
  let current = createRedactor(secrets);
  return {
    learn(more) {
      if (more.every((one) => known.has(one))) return;
      for (const one of more) known.add(one);
      current = createRedactor([...known]);
    },
    text: (text) => current.text(text),
    rows: (rows) => current.rows(rows),
    outgoing: (foreign) => current.outgoing(foreign),
    value: (value) => current.value(value),
    record: (record) => current.record(record),
  };
}
