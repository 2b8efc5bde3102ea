import { resolve } from "@std/path/posix";
import { RuntimeError } from "../../base/errors.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import { type Command, type CommandEntry, defineCommand, textFlag } from "../console/command.ts";
import { helpOf, listed } from "../console/help.ts";
import { outputLine } from "../../api/output/line.ts";
import { renderManPage, renderOverviewPage } from "../console/man_page.ts";
import { plural } from "../../journal/words/words.ts";

export function manCommand(entries: readonly CommandEntry[], find: (name: string) => CommandEntry): Command {
  return defineCommand({
    arguments: [{ name: "COMMAND", description: "the command", completes: ["commands"] }],
    flags: {
      to: textFlag("DIR", "write the pages of panewright and all its commands to this folder"),
    },
    async run({ flags: { to }, positionals: [name], global }, io) {
      const overview = { name: "panewright", roff: renderOverviewPage(listed(entries), VERSION) };
      const pageOf = async (entry: CommandEntry) => {
        return { name: `panewright-${entry.name}`, roff: renderManPage(await helpOf(entry), VERSION) };
      };
      if (to === undefined) {
        const page = name === undefined ? overview : await pageOf(find(name));
        io.stdout(global.json ? outputLine("man_page", page) : page.roff);
        return 0;
      }
      const pages = name === undefined
        ? [overview, ...await Promise.all(entries.filter(({ hidden }) => hidden !== true).map(pageOf))]
        : [await pageOf(find(name))];
      const folder = resolve(io.cwd, to);
      const written = await writePages(folder, pages);
      if (global.json) io.stdout(written.map((path) => outputLine("file_written", { path })).join(""));
      else if (!global.quiet) io.stdout(`${plural(pages.length, "manual page")} written to ${sanitizeLine(folder)}\n`);
      return 0;
    },
  });
}

async function writePages(
  folder: string,
  pages: readonly { readonly name: string; readonly roff: string }[],
): Promise<readonly string[]> {
  try {
    await Deno.mkdir(folder, { recursive: true });
    const written: string[] = [];
    for (const { name, roff } of pages) {
      const path = `${folder}/${name}.1`;
      await Deno.writeTextFile(path, roff);
      written.push(path);
    }
    return written;
  } catch (cause) {
    throw new RuntimeError(`Cannot write manual pages to ${folder}: ${errorText(cause)}`, { cause });
  }
}
