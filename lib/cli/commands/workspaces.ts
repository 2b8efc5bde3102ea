import { outputLine } from "../../api/output/line.ts";
import { present } from "../../base/schema.ts";
import { UsageError } from "../../base/errors.ts";
import { runInForeground } from "../../base/ports/process.ts";
import { sanitizeLine } from "../../base/text/sanitize.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { age, byteSize } from "../../journal/words/words.ts";
import { diskUse } from "../../workspace/disk.ts";
import { listWorkspaces, type Workspace } from "../../workspace/workspace.ts";
import { defineCommand } from "../console/command.ts";
import { padEnd } from "../console/layout.ts";
import { meantWorkspace, newestRunIn, WORKSPACE_ARGUMENT } from "../meant_workspace.ts";
import { workspaceFields } from "../show/workspace_words.ts";

const ACTIONS = ["list", "open"];

/** `panewright workspaces`: the clones in which agents have worked apart from checkouts. */
export const command = defineCommand({
  arguments: [
    { name: "ACTION", description: "list (what it does by itself), or open: a shell there", choices: ACTIONS },
    WORKSPACE_ARGUMENT,
  ],
  flags: {},
  async run({ global, positionals: [action = "list", name] }, io) {
    if (!ACTIONS.includes(action)) {
      throw new UsageError(`Cannot do "${action}" with workspaces${didYouMean(action, ACTIONS)}`, {
        hint: `ACTION is ${ACTIONS.join(" or ")}.`,
      });
    }
    if (action === "open") {
      const { isTarget, name: meant, workdir } = await meantWorkspace(name, io);
      if (isTarget === true) {
        throw new UsageError(`Cannot open ${meant}: tasks come together in it, and it has no files of its own`, {
          hint: `Make a branch of it: panewright apply ${meant} --branch ${meant}`,
        });
      }
      return await runInForeground({ argv: [io.env("SHELL") ?? "/bin/sh"], cwd: workdir, signal: io.signal });
    }
    if (name !== undefined) throw new UsageError(`Cannot list "${name}": list takes no name`);
    const all = await Promise.all(listWorkspaces().map(async (one) => ({ ...one, run: (await newestRunIn(one))?.id })));
    const sizes = await diskUse(all.map(({ tree }) => tree), io).catch(() => []);
    const sized = all.map((one, at) => ({ ...one, bytes: sizes[at] }));
    const lines = sized.map(({ bytes, run, ...one }) =>
      outputLine("workspace", { ...workspaceFields(one), ...present({ bytes, run }) })
    );
    if (global.json) io.stdout(lines.join(""));
    else if (all.length > 0) io.stdout(tableOf(sized));
    else if (!global.quiet) io.stdout("There are no workspaces.\n");
    return 0;
  },
});

interface Listed extends Workspace {
  /** Missing where nobody can tell. */
  readonly bytes: number | undefined;
  /** The newest run in it; missing where none has begun. */
  readonly run: string | undefined;
}

function tableOf(all: readonly Listed[]): string {
  const now = Date.now();
  const rows = all.map(({ bytes, isTarget, name, madeAt, origin, run = "", workdir }) => [
    name,
    age((now - Date.parse(madeAt)) / 1000),
    bytes === undefined || isTarget === true ? "" : byteSize(bytes),
    run,
    sanitizeLine(origin),
    sanitizeLine(workdir),
  ]);
  const table = [["WORKSPACE", "AGE", "SIZE", "RUN", "OF", "IN"], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row.map((cell, at) => at < widths.length ? padEnd(cell, widths[at]!) : cell).join("  ")
  );
  return `${lines.join("\n")}\n`;
}
