import { sanitizeLine, sanitizeText } from "../base/text/sanitize.ts";
import type { ChooseParts, NamedPart } from "../workspace/result.ts";
import { askLine } from "./console/ask_line.ts";
import { paint, type Style } from "./console/color.ts";
import type { CliIo } from "./console/command.ts";

const HELP = `y: take it   n: leave it   a: take it and the rest of this file   d: leave it and the rest of this file
q: leave this and all that follows
`;

/** Asks the person at the terminal about each part of a change, as `git add --patch` does. */
export function chooseHunks(io: CliIo, isColored: boolean): ChooseParts {
  return async (parts) => {
    using input = io.openTerminalInput();
    const chosen: NamedPart[] = [];
    let ofFile: { readonly file: number; readonly take: boolean } | undefined;
    for (const [at, part] of parts.entries()) {
      if (ofFile?.file === part.file) {
        if (ofFile.take) chosen.push(part);
        continue;
      }
      io.stdout(shown(part, isColored));
      const said = await askOne(`(${at + 1}/${parts.length}) Take it into your checkout? [y,n,a,d,q,?] `);
      if (said === "q") break;
      if (said === "y" || said === "a") chosen.push(part);
      if (said === "a" || said === "d") ofFile = { file: part.file, take: said === "a" };
    }
    return chosen;

    async function askOne(question: string): Promise<string> {
      for (;;) {
        const line = await askLine(question, { io, input });
        // Nothing more is said: nothing more is taken.
        if (line === undefined) return "q";
        const [word = ""] = line.trim().toLowerCase();
        if ("ynadq".includes(word) && word !== "") return word;
        io.stderr(HELP);
      }
    }
  };
}

/** A part as a person reads it: each character of it is a byte. */
function shown({ head, hunk, path }: NamedPart, isColored: boolean): string {
  const text = new TextDecoder().decode(Uint8Array.from(hunk, (character) => character.charCodeAt(0)));
  const rows = sanitizeText(text).trimEnd().split("\n").map((row) => paint(row, STYLES[row.charAt(0)], isColored));
  const what = kindOf(head);
  const title = paint(`${sanitizeLine(path)}${what === "" ? "" : ` (${what})`}`, "strong", isColored);
  const isBinary = head.includes("\nGIT binary patch");
  const whole = `${isBinary ? "no text" : "nothing of its content"}: the file as a whole`;
  return `\n${title}\n${hunk === "" ? whole : rows.join("\n")}\n`;
}

const STYLES: Readonly<Record<string, Style>> = { "+": "good", "-": "bad", "@": "cyan" };

/** What its lines do not show: whether it comes or goes, can be executed, or leads elsewhere. */
function kindOf(head: string): string {
  const [, comes = "", mode = ""] = /\n(new|deleted)(?: file)? mode (\d+)\n/.exec(head) ?? [];
  const isChange = head.includes("\nold mode ");
  const kind = MODES[mode] ?? (isChange ? "no longer executable" : "");
  return [isChange || comes === "" ? "" : `${comes} file`, kind].filter((word) => word !== "").join(", ");
}

const MODES: Readonly<Record<string, string>> = {
  "100755": "executable",
  "120000": "a link",
  "160000": "another repository's commit",
};
