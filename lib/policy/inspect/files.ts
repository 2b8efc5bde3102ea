import { present } from "../../base/schema.ts";
import { type ShellWord, wordStart, wordText } from "../../shell/mod.ts";
import { pathOf } from "../folders.ts";
import { MADE, possibleTexts } from "../known_values.ts";
import { namesFromSubstitutions } from "../name_sources.ts";
import { whereto } from "../places.ts";
import { definesCommands, protectedPart, secretPart } from "../protected_paths.ts";
import type { FileTarget } from "../targets/target.ts";
import { doubt, type Here, type InspectedWrite, type Inspection } from "./inspection.ts";

export const ALWAYS_FINE = /^\/dev\/(?:null|stdout|stderr|tty|fd\/\d+)$/;

/** Whether zsh may take a word for a pattern of names that others are: `^x`, `*~x`, `x#`, and `***` follows links. */
function isExtendedPattern({ parts }: ShellWord): boolean {
  return parts.some(({ type, text, quoted }) => type === "literal" && !quoted && /[\^#]|.~|\*{3}/.test(text));
}

const DOES = { write: "writes to", remove: "removes", remove_tree: "removes" } as const;

export function checkTargets(
  targets: readonly FileTarget[],
  who: string,
  { here, context, by = "command" }: Here & { readonly by?: InspectedWrite["by"] },
): void {
  const { ground } = context;
  for (const target of targets) {
    const { action, word } = target;
    const extended = action !== "write" && isExtendedPattern(word);
    const path = extended ? undefined : target.path ?? pathOf(word) ?? tildePath(word);
    if (path !== undefined && ALWAYS_FINE.test(path)) continue;
    const what = `${who} ${DOES[action]} ${path ?? word.source}`;
    const rule = action === "remove_tree" ? "rm_outside_workdir" : "write_outside_workdir";
    if (path === undefined) {
      context.doubts.push({ message: `${what}, and where that leads is not known`, about: rule });
      const state = /XDG_STATE_HOME.*panewright/i.test(word.source);
      if (state || possibleTexts(word, context.values).some((text) => protectedPart(text) !== undefined)) {
        context.guarded.push(what);
      }
      continue;
    }
    const { place, paths, everything, protected: kept } = whereto(
      path,
      { folders: here.folders, does: action === "write" ? "write" : "remove" },
      ground,
    );
    const defines = action === "write" && paths.some((one) => replacesDefinition(one, target, { by, here, context }));
    context.writes.push({
      ...{ paths, message: what, defines },
      by: by !== "command" ? by : target.purpose === true && !defines ? "command" : word,
    });
    if (everything && (action !== "write" || target.empties === true)) {
      if (action === "remove_tree" && place !== "unknown") {
        context.violations.push({ rule: "rm_outside_workdir", message: `${what}, all of the working directory` });
      } else context.doubts.push({ message: `${what}, which may be all of the working directory` });
    }
    if (kept !== undefined) context.guarded.push(`${what}, and ${kept} is protected`);
    if (who === "mv" && action === "remove" && place === "inside") {
      const behind = whereto(path, { folders: here.folders, does: "write" }, ground);
      if (behind.place !== "inside") context.doubts.push({ message: `mv moves ${path}, a link that leads elsewhere` });
    }
    if (place === "unknown") {
      context.doubts.push({ message: `${what}, and where that leads is not known`, about: rule });
    } else if (place === "outside") {
      context.violations.push({ rule, message: `${what}, outside the working directory` });
    }
  }
}

/** Whether a file that says what commands run comes to be one that the text does not show. */
function replacesDefinition(
  path: string,
  { from }: FileTarget,
  { by, here: { folders }, context: { writes, ground } }: Here & { readonly by: InspectedWrite["by"] },
): boolean {
  if (!definesCommands(path) || (from === undefined && typeof by !== "object")) return false;
  const isShown = (word: ShellWord) => {
    const source = pathOf(word);
    if (source === undefined) return false;
    const { paths } = whereto(source, { folders, does: "read" }, ground);
    // A copy that was kept of it, or what the text itself has written before.
    return paths.some((one) => one.startsWith(`${path}.`) || one === path) ||
      writes.some((write) =>
        write.by === "redirection" && !write.defines && write.paths.some((one) => paths.includes(one))
      );
  };
  return from === undefined || !from.every(isShown);
}

/** `~/x`, which {@linkcode whereto} resolves. */
function tildePath(word: ShellWord): string | undefined {
  const [only] = word.parts;
  const plain = word.parts.length === 1 && only?.type === "literal" &&
    word.expansions.every((kind) => kind === "tilde");
  return plain && /^~(?:\/|$)/.test(only.text) && !/[:=]~/.test(only.text) ? only.text : undefined;
}

export function checkRead(
  { word, path: part, asks }: { readonly word: ShellWord; readonly path?: string; readonly asks?: ShellWord },
  who: string,
  { here, context }: Here,
): void {
  const path = part ?? pathOf(word) ?? tildePath(word);
  if (path === undefined) {
    const texts = possibleTexts(word, context.values);
    if (texts.some((text) => text.includes(MADE))) {
      doubt(context, `${who} reads ${word.source}, a name that another command makes`);
    }
    const secret = texts.map((text) => secretPart(text, { dots: true })).find(Boolean);
    const source = namesFromSubstitutions(word, who);
    const hidden = word.parts.some(({ type, text }) => type === "literal" && /(?:^|\/)\.[^/.]*[*?[{]/.test(text));
    if (secret !== undefined) context.guarded.push(`${who} reads ${word.source}, and ${secret} is secret`);
    else if (hidden) context.guarded.push(`${who} reads ${word.source}, which may be a secret`);
    else if (source !== undefined && "secret" in source) {
      context.guarded.push(`${who} is given names, and ${source.secret} is secret`);
    } else if (source !== undefined) doubt(context, `${who} reads ${word.source}: ${source.unknown}`);
    else if (/^(?:\/|~|\.\.)/.test(wordStart(word)) || isForeign(word, context)) {
      context.reads.push({ message: `${who} reads ${word.source}`, ...present({ word: asks }) });
    }
    return;
  }
  if (path === "-") return;
  const { place, secret } = whereto(path, { folders: here.folders, does: "read" }, context.ground);
  // A search in a repository's own folder finds its settings, which may hold a token.
  const repository = /^(?:[efz]?grep|rg)$/.test(who) && /(?:^|\/)\.git\/*$/i.test(path) ? ".git/config" : undefined;
  const found = secret ?? repository;
  if (found !== undefined) context.guarded.push(`${who} reads ${path}, and ${found} is secret`);
  else if (place !== "inside") context.reads.push({ message: `${who} reads ${path}`, ...present({ word: asks }) });
}

function isForeign({ parts: [first] }: ShellWord, { values }: Inspection): boolean {
  const name = first?.type === "variable" ? /^\$\{?([A-Za-z_]\w*)/.exec(first.text)?.[1] : undefined;
  return name !== undefined && !values.has(name);
}

export function checkFound(pattern: string, who: string, context: Inspection): void {
  const secret = secretPart(pattern, { dots: true });
  if (secret !== undefined) context.guarded.push(`${who} looks for ${pattern}, and ${secret} is secret`);
}

/** Looks at what may be a path: it matters only where that is protected. */
export function checkTouched(
  { word, path: given }: Pick<FileTarget, "word" | "path">,
  who: string,
  { here, context }: Here,
): void {
  const path = given ?? pathOf(word) ?? wordText(word);
  // The revision; the folder above it has a .git, which git looks for first.
  if (path === "HEAD") return;
  const { secret, protected: kept } = whereto(path, { folders: here.folders, does: "read" }, context.ground);
  const part = secret ?? kept ?? secretPart(path, { dots: true });
  if (part !== undefined) context.guarded.push(`${who} is given ${path}, and ${part} is protected`);
}
