import { readCard } from "../api/card/read_card.ts";
import { outputLine } from "../api/output/line.ts";
import type { RunFolder } from "../run/run_folder.ts";
import type { CliIo, GlobalFlags } from "./console/command.ts";
import { cardText } from "./show/card_text.ts";
import { commandInForm, startOfThis } from "./start_form.ts";

interface Around {
  readonly io: CliIo;
  readonly global: GlobalFlags;
}

const COLUMNS_WITHOUT_TERMINAL = 100;

/** Shows the card of a run on standard output. */
export async function showCard(
  folder: RunFolder,
  { global, io, leavesNothing = false, signal }: Around & {
    readonly signal: AbortSignal;
    /** Whether the run is about to be removed: nothing can be done with it. @default {false} */
    readonly leavesNothing?: boolean;
  },
): Promise<void> {
  const card = await readCard(folder, { now: new Date(), signal });
  if (global.json) return io.stdout(outputLine("card", card));
  const start = startOfThis(io);
  const columns = io.isTerminal.stdout ? io.columns() : COLUMNS_WITHOUT_TERMINAL;
  const commandOf = (words: readonly string[]) => commandInForm(words, start);
  io.stdout(cardText(leavesNothing ? { ...card, next: [] } : card, { columns, color: global.color.stdout, commandOf }));
}
