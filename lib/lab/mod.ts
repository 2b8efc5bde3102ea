/**
 * What panewright's knowledge of screens is made of and held to, a package of its own. In come recorded screens and
 * sessions, scripts of agents, and packs of rules that a person has; out go verdicts of the rules on them, an agent that
 * plays a script in a terminal (`replay/`), and the rules that are installed (`rule_packs/`).
 *
 * @module
 */
export { classesOf } from "./recordings/check.ts";
export { readCorpus } from "./recordings/corpus.ts";
export { writePack } from "./recordings/pack.ts";
export type { Recording } from "./recordings/recording.ts";
