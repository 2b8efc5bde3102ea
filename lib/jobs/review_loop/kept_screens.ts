import { replaceFile } from "../../base/ports/own_files.ts";
import type { KeptLook } from "../../turn/desk/desk_context.ts";
import type { Role } from "../../base/roles.ts";
import type { RoleAgent } from "./role_agent.ts";
import type { RunParts } from "./run_parts.ts";

interface KeptAs extends Pick<RunParts, "folder" | "redactor"> {
  readonly name: string;
}

export async function keepScreen(
  terminal: RoleAgent,
  { folder, name, redactor }: KeptAs,
): Promise<string | undefined> {
  try {
    if (terminal.via !== "pane") {
      await replaceFile(`${folder.evidenceDir}/${name}.txt`, inRows(redactor, `${terminal.evidence()}\n`));
      return `evidence/${name}.txt`;
    }
    const { screen } = await terminal.look();
    return await writeLook({ screen, provider: terminal.provider.id }, { folder, name, redactor });
  } catch {
    return undefined;
  }
}

async function writeLook({ screen, provider }: KeptLook, { folder, name, redactor }: KeptAs): Promise<string> {
  const base = `${folder.evidenceDir}/${name}`;
  const { rows, styled: _styled, height, ...meta } = screen;
  const redacted = (_key: string, value: unknown) => typeof value === "string" ? redactor.text(value) : value;
  const sidecar = { provider, ...meta, rows: height };
  await replaceFile(`${base}.ansi`, inRows(redactor, rows.map((row) => row.raw).join("\n") + "\n"));
  await replaceFile(`${base}.json`, JSON.stringify(sidecar, redacted, 2) + "\n");
  return `evidence/${name}.ansi`;
}

/** A screen's rows may continue on the next one. */
function inRows({ rows }: KeptAs["redactor"], screen: string): string {
  return rows(screen.split("\n")).join("\n");
}

interface DialogScreens extends AsyncDisposable {
  keep(dialog: { readonly turnId: string; readonly role: Role; readonly question?: string }): void;
  keepAnswered(turnId: string, shown: KeptLook): Promise<string | undefined>;
}

const MOST_ANSWERED = 20;

/** What {@linkcode keepDialogScreens} works with. */
interface DialogScreensOptions extends Pick<RunParts, "folder" | "redactor" | "record"> {
  readonly terminalOf: (role: Role) => RoleAgent;
}

export function keepDialogScreens({ folder, redactor, terminalOf, record }: DialogScreensOptions): DialogScreens {
  const open = new Set<Promise<void>>();
  const answered = new Map<string, number>();
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
    async keepAnswered(turnId, shown) {
      const before = answered.get(turnId) ?? 0;
      if (before >= MOST_ANSWERED) return undefined;
      answered.set(turnId, before + 1);
      const name = `${turnId}-answered-${Date.now()}-${before + 1}`;
      // The audit log has its text: nothing may fail of this.
      return await writeLook(shown, { folder, name, redactor }).catch(() => undefined);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(open);
    },
  };
}
