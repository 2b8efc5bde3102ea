import { resolve } from "@std/path/posix";
import { RuntimeError } from "../../base/errors.ts";
import { errorText } from "../../base/text/error_text.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { VERSION } from "../../base/version.ts";
import { type Command, type CommandEntry, defineCommand } from "../console/command.ts";
import { outputLine } from "../../api/output/line.ts";
import { renderManPage, renderOverviewPage } from "../console/man_page.ts";
import { plural } from "../../journal/words/words.ts";

export function manCommand(entries: readonly CommandEntry[], find: (name: string) => CommandEntry): Command {
  const shown = entries.filter(({ hidden }) => hidden !== true);
  return defineCommand({
    description:
      "Prints the manual page of panewright, or of one command, as roff: `panewright man run | man -l -` shows it. With " +
      "--to all pages are written to a folder, for example ~/.local/share/man/man1; then `man panewright-run` shows it.",
    arguments: [{ name: "COMMAND", description: "the command", completes: ["commands"] }],
    flags: [{
      name: "to",
      type: "string",
      placeholder: "DIR",
      description: "write the pages of panewright and all its commands to this folder",
    }],
    examples: [
      { command: "man run > panewright-run.1", description: "the manual page of one command" },
      { command: "man --to ~/.local/share/man/man1", description: "all of them, where man looks for them" },
    ],
    async run({ flags: { to }, positionals: [name], global }, io) {
      const overview = { name: "panewright", roff: renderOverviewPage(shown, VERSION) };
      const pageOf = async (entry: CommandEntry) => {
        return { name: `panewright-${entry.name}`, roff: renderManPage(entry, (await entry.load()).command, VERSION) };
      };
      if (to === undefined) {
        const page = name === undefined ? overview : await pageOf(find(name));
        io.stdout(global.json ? outputLine("man_page", page) : page.roff);
        return 0;
      }
      const pages = name === undefined
        ? [overview, ...await Promise.all(shown.map(pageOf))]
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
