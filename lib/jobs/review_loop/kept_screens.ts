import { replaceFile } from "../../ports/own_files.ts";
import type { Redactor } from "../../redact/redactor.ts";
import type { RunFolder } from "../../run/run_folder.ts";
import type { Role } from "../../roles.ts";
import type { ReviewFact } from "./facts.ts";
import type { RoleAgent } from "./role_agent.ts";

/**
 * Keeps what can be seen of an agent at this moment: of a pane what it shows, in the form that `panewright explain` reads
 * (`NAME.ansi` and its sidecar `NAME.json`); of an agent without one what it said last, as `NAME.txt`.
 *
 * @returns the file below the run's folder; `undefined` for what cannot be read any more: nothing may fail of it
 */
export async function keepScreen(
  terminal: RoleAgent,
  { folder, name, redactor }: { readonly folder: RunFolder; readonly name: string; readonly redactor: Redactor },
): Promise<string | undefined> {
  const base = `${folder.evidenceDir}/${name}`;
  try {
    if (terminal.via === "acp") {
      await replaceFile(`${base}.txt`, redactor.text(`${terminal.evidence()}\n`));
      return `evidence/${name}.txt`;
    }
    const { screen } = await terminal.look();
    const { rows, styled: _styled, height, ...meta } = screen;
    const redacted = (_key: string, value: unknown) => typeof value === "string" ? redactor.text(value) : value;
    const sidecar = { provider: terminal.provider.id, ...meta, rows: height };
    await replaceFile(`${base}.ansi`, redactor.text(rows.map((row) => row.raw).join("\n") + "\n"));
    await replaceFile(`${base}.json`, JSON.stringify(sidecar, redacted, 2) + "\n");
    return `evidence/${name}.ansi`;
  } catch {
    return undefined;
  }
}

/** Keeps the screens of dialogs that a person is asked about; disposal waits until the last one is written. */
export interface DialogScreens extends AsyncDisposable {
  /** Begins to keep one; what it is about waits for nothing. */
  keep(dialog: { readonly turnId: string; readonly role: Role; readonly question?: string }): void;
}

/** What {@linkcode keepDialogScreens} works with. */
export interface DialogScreensOptions {
  readonly folder: RunFolder;
  readonly redactor: Redactor;
  /** The agent that plays a role. */
  readonly terminalOf: (role: Role) => RoleAgent;
  readonly record: (fact: ReviewFact) => void;
}

/** Begins to keep the screens of dialogs. */
export function keepDialogScreens({ folder, redactor, terminalOf, record }: DialogScreensOptions): DialogScreens {
  const open = new Set<Promise<void>>();
  const keep = async (role: Role, { turnId, name }: { readonly turnId: string; readonly name: string }) => {
    const file = await keepScreen(terminalOf(role), { folder, name, redactor });
    if (file !== undefined) record({ type: "screen_kept", turnId, role, moment: "dialog", file, passable: true });
  };
  return {
    keep({ turnId, role, question }) {
      const name = `${turnId}-${question ?? `dialog-${Date.now()}`}`;
      // A journal that cannot be written ends the run by itself.
      const kept = keep(role, { turnId, name }).catch(() => {}).finally(() => open.delete(kept));
      open.add(kept);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open);
    },
  };
}
