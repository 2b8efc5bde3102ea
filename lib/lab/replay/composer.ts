export interface Composer {
  readonly parts: readonly ComposerPart[];
  readonly lastTypedAtMs: number | undefined;
}

interface ComposerPart {
  readonly text: string;
  readonly label?: string;
}

export const EMPTY_COMPOSER: Composer = { parts: [], lastTypedAtMs: undefined };

/** How long after a typed character Enter counts as part of pasted text (Codex CLI 0.169, paste-burst rule). */
export const PASTE_BURST_MS = 120;

const PASTE_LABEL_THRESHOLD_CHARACTERS = 1000;

export function composerText(composer: Composer): string {
  return composer.parts.map((part) => part.text).join("").trim();
}

export function composerDisplay(composer: Composer): string {
  return composer.parts.map((part) => part.label ?? part.text).join("");
}

export function typeText(composer: Composer, text: string, nowMs: number): Composer {
  return { parts: appendText(composer.parts, text), lastTypedAtMs: nowMs };
}

export function pasteText(composer: Composer, text: string): Composer {
  const characters = [...text].length;
  const parts = characters > PASTE_LABEL_THRESHOLD_CHARACTERS
    ? [...composer.parts, { text, label: `[Pasted Content ${characters} chars]` }]
    : appendText(composer.parts, text);
  return { parts, lastTypedAtMs: undefined };
}

export function eraseLast(composer: Composer): Composer {
  const last = composer.parts.at(-1);
  if (last === undefined) return composer;
  const shorter = last.label === undefined ? [...last.text].slice(0, -1).join("") : "";
  const before = composer.parts.slice(0, -1);
  return { ...composer, parts: shorter === "" ? before : [...before, { text: shorter }] };
}

/**
 * What Enter does: it submits, unless it follows typed characters so closely that it must be part of text
 * that was pasted without brackets.
 */
export function pressEnter(
  composer: Composer,
  nowMs: number,
): { readonly composer: Composer; readonly submitted: string | undefined } {
  if (composer.lastTypedAtMs !== undefined && nowMs - composer.lastTypedAtMs < PASTE_BURST_MS) {
    return { composer: typeText(composer, "\n", nowMs), submitted: undefined };
  }
  const text = composerText(composer);
  return text === "" ? { composer, submitted: undefined } : { composer: EMPTY_COMPOSER, submitted: text };
}

function appendText(parts: readonly ComposerPart[], text: string): readonly ComposerPart[] {
  if (text === "") return parts;
  const last = parts.at(-1);
  return last !== undefined && last.label === undefined
    ? [...parts.slice(0, -1), { text: last.text + text }]
    : [...parts, { text }];
}
