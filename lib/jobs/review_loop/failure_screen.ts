import { replaceFile } from "../../ports/own_files.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { AgentTerminal } from "../../providers/terminal/agent_terminal.ts";

/**
 * Keeps what a pane shows at the moment of a failure, in the form that `panewright explain` reads: `NAME.ansi` and its
 * sidecar `NAME.json`. A pane that cannot be read any more leaves nothing: the failure itself must be told.
 */
export async function saveFailureScreen(
  terminal: AgentTerminal,
  options: { readonly folder: RunFolder; readonly name: string; readonly redactor: Redactor },
): Promise<void> {
  const base = `${options.folder.evidenceDir}/${options.name}`;
  try {
    const { screen } = await terminal.look();
    const { rows, styled: _styled, height, ...meta } = screen;
    const { redactor } = options;
    const redacted = (_key: string, value: unknown) => typeof value === "string" ? redactor.text(value) : value;
    const sidecar = { provider: terminal.provider.id, ...meta, rows: height };
    await replaceFile(`${base}.ansi`, redactor.text(rows.map((row) => row.raw).join("\n") + "\n"));
    await replaceFile(`${base}.json`, JSON.stringify(sidecar, redacted, 2) + "\n");
  } catch { /* see above */ }
}
