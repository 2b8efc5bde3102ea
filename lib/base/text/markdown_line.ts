import { oneLine } from "./lines.ts";
import { sanitizeLine } from "./sanitize.ts";

/**
 * What acts inside a line of GitHub's Markdown wherever it stands: escapes, code, emphasis, links, strikes, cells, tags
 * and entities. A backslash has an effect only before punctuation, and an ampersand only where an entity follows.
 */
const ACTS = /\\(?=[!-/:-@[-`{-~]|$)|[`*[~|<]|&(?=#?[a-z\d]{1,40};)/gi;
/** Between letters or digits it does not emphasize: `analyst_review`. */
const EMPHASIS = /(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu;
/** What becomes a link by itself. */
const LINK = /:(?=\/\/)|(?<=\bwww)\./gi;
/**
 * Text of others in one line of GitHub's Markdown, which shows it as it is: what would act has a backslash before it,
 * and everything else stays readable where the Markdown itself is read.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(markdownLine("analyst_review: 2-b in a_b.ts:3, 100 %!"), "analyst_review: 2-b in a_b.ts:3, 100 %!");
 * assertEquals(markdownLine("# *a* <b>\n[x](http://y) `c` | _d_"), "\\# \\*a\\* \\<b> \\[x](http\\://y) \\`c\\` \\| \\_d\\_");
 * ```
 */
export function markdownLine(text: string): string {
  return sanitizeLine(oneLine(text))
    .replaceAll(ACTS, "\\$&")
    .replaceAll(EMPHASIS, (run) => run.replaceAll("_", "\\_"))
    .replaceAll(LINK, "\\$&")
    // What would make a heading, a quote, a list, a rule or an underline of the line, or a command in the log of CI.
    .replace(/^(?:[#>+=-]|::)/, "\\$&")
    .replace(/^(\d{1,9})([.)])/, "$1\\$2");
}
