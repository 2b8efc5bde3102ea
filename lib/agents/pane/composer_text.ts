import type { Composer, PastedText } from "../../screen/regions.ts";
import { essence } from "../../base/text/essence.ts";

type Shown = Pick<Composer, "text" | "pasted">;

/**
 * Whether a composer holds the text that was pasted, and nothing else: all of it, the part that fits, or a marker that
 * stands for it. A marker that says how long its text is must say it of all of it.
 *
 * Only letters and digits are compared: blanks depend on where rows wrap, and terminals draw signs as they can.
 */
export function composerHolds(shown: Shown, text: string): boolean {
  if (shown.pasted !== undefined) return standsFor(shown.pasted, text) !== "no";
  const visible = essence(shown.text);
  return visible === "" ? essence(text) === "" && shown.text.trim() === text.trim() : essence(text).includes(visible);
}

/**
 * Whether what a composer holds can only be the text: a marker that does not say how long its text is could stand for
 * another, or for a part of it, and words that are all in the text may be a person's, or what a person left of it.
 */
export function composerProves(shown: Shown, text: string): boolean {
  return shown.pasted === undefined ? composerHoldsAll(shown, text) : standsFor(shown.pasted, text) === "yes";
}

function standsFor({ markers, rest }: PastedText, text: string): "yes" | "no" | "unknown" {
  const characters = [...text];
  const [{ lines } = {}, ...others] = markers;
  if (markers.every(({ chars }) => chars !== undefined)) {
    // What stands beside the markers comes after them.
    const marked = markers.reduce((sum, { chars = 0 }) => sum + chars, 0);
    if (rest.trim() === "") return marked === characters.length ? "yes" : "no";
    return marked < characters.length && essence(characters.slice(marked).join("")) === essence(rest) ? "yes" : "no";
  }
  if (others.length > 0 || rest.trim() !== "") return "no";
  if (lines === undefined) return "unknown";
  return lines === text.split("\n").length - 1 ? "yes" : "no";
}

export function composerHoldsAll(shown: Shown, text: string): boolean {
  return essence(shown.text) === essence(text) && composerHolds(shown, text);
}
