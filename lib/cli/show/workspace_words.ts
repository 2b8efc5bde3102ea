import { sanitizeLine } from "../../base/text/sanitize.ts";
import { plural } from "../../journal/words/words.ts";
import type { WorkspaceResult } from "../../workspace/result.ts";
import type { Workspace } from "../../workspace/workspace.ts";

const SHOWN_FILES = 20;

/** What was changed in a workspace, a line each. */
export function resultText({ name, tree }: Workspace, { files, inner, ref }: WorkspaceResult): string {
  const lines = files.length === 0
    ? [`No file was changed in the workspace ${name}.`]
    : [`Changed in the workspace ${name}: ${filesText(files)}`];
  const apart = inner.map((path) =>
    `  ${sanitizeLine(`${tree}/${path}`)} is not in ${ref}: a repository of its own, or not to be read`
  );
  return `${[...lines, ...apart].join("\n")}\n`;
}

/** The sum, and a line for each file. */
export function filesText(files: WorkspaceResult["files"]): string {
  return [sumText(files), ...fileLines(files)].join("\n");
}

export function sumText(files: WorkspaceResult["files"]): string {
  const sum = (of: "added" | "removed") => files.reduce((all, file) => all + (file[of] ?? 0), 0);
  return `${plural(files.length, "file")}, +${sum("added")} −${sum("removed")}`;
}

function fileLines(files: WorkspaceResult["files"]): readonly string[] {
  const shown = files.slice(0, SHOWN_FILES).map(({ path, added, removed }) =>
    `  ${sanitizeLine(path)}  ${added === undefined ? "not a text" : `+${added} −${removed}`}`
  );
  return files.length > SHOWN_FILES ? [...shown, `  and ${files.length - SHOWN_FILES} more`] : shown;
}

/** The fields of a workspace for `--json`. */
export function workspaceFields({ base, brought = [], madeAt, name, origin, tree, workdir }: Workspace) {
  return { name, origin, workdir, tree, base, madeAt, brought };
}

export function openedText({ brought = [], name, workdir }: Workspace): string {
  const more = brought.length <= 3
    ? brought.join(", ")
    : `${brought.slice(0, 3).join(", ")} and ${brought.length - 3} more`;
  const along = brought.length === 0 ? "" : `; it has a copy of ${sanitizeLine(more)}`;
  return `works in the workspace ${name}, apart from your checkout: ${sanitizeLine(workdir)}${along}`;
}
