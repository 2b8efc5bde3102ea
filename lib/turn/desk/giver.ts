import { basename, dirname } from "@std/path/posix";
import { type Ancestor, type Ancestry, lookAtSelf } from "../../base/ports/ancestry.ts";
import { replaceFile } from "../../base/ports/own_files.ts";
import { readRegularText } from "../../base/ports/regular_file.ts";
import { assertOwn, makeOwnFolder } from "../../base/ports/state_folder.ts";
import { object, present, text, type ValueOf } from "../../base/schema.ts";
import type { AnswerBy, Giver, GiverKind } from "../../base/terms.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";

/** The place of what is kept of a run for what is said to it. */
interface MailFolder {
  readonly answersDir: string;
}

const began = object({ place: text, startTime: text });

/** The first process that executed a run here: what is older is of no agent's making. */
type Began = ValueOf<typeof began>;

const MAX_BEGAN_BYTES = 4096;

/**
 * Notes that this process executes the run, unless an earlier one did since the machine was started; and that it
 * executes one, unless another did, of any run.
 */
export async function noteBegun(folder: MailFolder): Promise<void> {
  const { place, chain: [own] } = await lookAtSelf();
  if (own === undefined) return;
  makeOwnFolder(dirname(folder.answersDir));
  for (const path of [beganPath(folder), anyBeganPath(folder)]) {
    if (readBegan(path)?.place === place) continue;
    await replaceFile(path, JSON.stringify({ place, startTime: own.startTime }), { durable: true });
  }
}

function readBegan(path: string): Began | undefined {
  try {
    assertOwn(path);
    const found: unknown = JSON.parse(readRegularText(path, { maxBytes: MAX_BEGAN_BYTES }));
    return began(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function beganPath({ answersDir }: MailFolder): string {
  return `${dirname(answersDir)}/began`;
}

/** In the state folder itself: of all of its runs. */
function anyBeganPath({ answersDir }: MailFolder): string {
  return `${dirname(dirname(dirname(answersDir)))}/began`;
}

/**
 * Whose an answer counts as. Of the ways that need no more than a program, a terminal and `panewright answer`, it is a
 * person's where the process, or one above it, is older than the run: then no agent of the run has started it. Whoever
 * adopts orphans is above a leftover as well, so that only what is below the adopter counts. The other ways have a
 * token, or are a model's.
 *
 * @param from missing where nothing was recorded of who gave it
 */
export function giverKind(
  folder: MailFolder,
  { by, from }: { readonly by: AnswerBy; readonly from?: Ancestry | undefined },
): GiverKind {
  if (by === "mcp") return "model";
  if (from?.isMarked === true) return "program";
  if (by !== "command" && by !== "terminal") return "person";
  const first = readBegan(beganPath(folder));
  // Where nothing can be kept, or was, only the executing process itself can have an answer.
  if (first === undefined) return by === "terminal" ? "person" : "program";
  if (from === undefined) return "program";
  if (isOfEarlierBoot(first, from)) return isPersonsSinceBoot(from, { folder, by }) ? "person" : "program";
  return from.place === first.place && isPersons(from, { first, by }) ? "person" : "program";
}

function isOfEarlierBoot(first: Began, { place }: Ancestry): boolean {
  const [boot, namespace] = place.split(" ");
  const [before, itsNamespace] = first.place.split(" ");
  return boot !== "" && boot !== before && namespace === itsNamespace;
}

/**
 * Nothing of the run has outlived a start of the machine, but another run may have left something behind since. Where
 * none was executed, an agent may still have had itself started with the machine: that has no terminal.
 */
function isPersonsSinceBoot(
  from: Ancestry,
  { folder, by }: { readonly folder: MailFolder; readonly by: AnswerBy },
): boolean {
  const first = readBegan(anyBeganPath(folder));
  if (first?.place === from.place) return isPersons(from, { first, by });
  return from.terminal !== undefined && isPersons(from, { first: { place: from.place, startTime: "Infinity" }, by });
}

function isPersons(
  from: Ancestry,
  { first, by }: { readonly first: Began; readonly by: AnswerBy },
): boolean {
  const { chain, adopter, session, isFromOutside } = from;
  const top = chain.findIndex(({ pid }, index) => pid === adopter && index > 0);
  if (top < 0 && chain[0]?.pid !== adopter) return isFromOutside;
  const own = top < 0 ? chain.slice(0, 1) : chain.slice(0, top);
  const isOld = ({ startTime }: Ancestor) => ageOf(startTime) <= ageOf(first.startTime);
  // Agents have sessions of their own, and nobody can enter one.
  const leads = chain.find(({ pid }) => pid === session);
  if (leads !== undefined && isOld(leads)) return true;
  return own.some((one) => isOld(one) && !SCHEDULERS.includes(one.name) || by === "terminal" && isTerminal(one));
}

/** They start programs for whoever has asked them to before. */
const SCHEDULERS = ["cron", "crond", "atd", "anacron", "fcron"];

/** In what a person has opened since, the terminal of a run is theirs: an agent has no display to open one on. */
const TERMINALS =
  /^(?:gnome-terminal-server|ptyxis(?:-agent)?|kgx|konsole|yakuake|xfce4-terminal|mate-terminal|lxterminal|tilix|xterm|urxvt|rxvt|alacritty|kitty|wezterm-gui|foot|ghostty)$/;

function isTerminal({ program }: Ancestor): boolean {
  // Where programs cannot be told, a terminal is a person's.
  if (Deno.build.os !== "linux") return true;
  try {
    return program !== undefined && TERMINALS.test(basename(program)) && Deno.statSync(program).uid === 0;
  } catch {
    return false;
  }
}

/** In the system's own notation: ticks on Linux, otherwise a date. */
function ageOf(startTime: string): number {
  return /^(?:\d+|Infinity)$/.test(startTime) ? Number(startTime) : Date.parse(startTime);
}

/** Above them is the system's own. */
const MAX_BELOW = 6;

/** What the journal tells of who gave an answer. */
export function giverOf(kind: GiverKind, from: Ancestry | undefined): Giver {
  const [own, ...above] = from?.chain ?? [];
  const below = above.slice(0, MAX_BELOW).map(({ pid, name }) => name === "" ? String(pid) : sanitizeLine(name));
  return { kind, below, ...present({ pid: own?.pid, terminal: from?.terminal }) };
}
