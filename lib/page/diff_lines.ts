type DiffLineKind = "file" | "place" | "added" | "removed" | "same";

interface DiffBlock {
  readonly kind: DiffLineKind;
  readonly lines: readonly string[];
}

const FILE_LINE =
  /^(?:diff --git |index [0-9a-f]|--- |\+\+\+ |(?:old|new|deleted file|new file) mode |similarity |rename |copy |Binary )/;

/** A patch as blocks of lines. Within a hunk its counts say what a line is, so that no text can look like a file's head. */
export function diffBlocks(patch: string): readonly DiffBlock[] {
  const blocks: { kind: DiffLineKind; lines: string[] }[] = [];
  let [before, after] = [0, 0];
  for (const line of patch.replace(/\n$/, "").split("\n")) {
    const kind = kindOf(line, before > 0 || after > 0);
    if (kind === "place") {
      const [, old = "1", now = "1"] = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(line) ?? [];
      [before, after] = [Number(old), Number(now)];
    } else if (kind !== "file" && !line.startsWith("\\")) {
      if (kind !== "added") before--;
      if (kind !== "removed") after--;
    }
    if (blocks.at(-1)?.kind === kind) blocks.at(-1)!.lines.push(line);
    else blocks.push({ kind, lines: [line] });
  }
  return blocks;
}

function kindOf(line: string, inHunk: boolean): DiffLineKind {
  if (!inHunk && line.startsWith("@@ ")) return "place";
  if (!inHunk && FILE_LINE.test(line)) return "file";
  return line.startsWith("+") ? "added" : line.startsWith("-") ? "removed" : "same";
}
