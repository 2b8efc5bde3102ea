import { dirname } from "@std/path/posix";
import { ActivityView } from "../../show/activity_rows.ts";
import type { Redactor } from "../../../base/redact/redactor.ts";
import type { Role } from "../../../base/roles.ts";
import { activityPathOf } from "../../../run/activity_file.ts";
import { ActivityTail } from "../../../run/activity_tail.ts";
import type { RunFolder } from "../../../run/run_folder.ts";
import type { ActivityRowFrame } from "../../output/screen_event.ts";
import { present } from "../../../base/schema.ts";

/** Rows that are kept for those who come later, and UTF-16 units that are told at once. */
const MAX_ROWS = 500;
const MAX_TOLD = 128 * 1024;

export class ActivityLog implements Disposable {
  readonly #tail: ActivityTail;
  readonly #view: ActivityView;
  readonly #redactor: Redactor;
  #rows: ActivityRowFrame[] = [];
  #end = 0;
  #doing = "";

  constructor(folder: RunFolder, role: Role, { redactor }: { readonly redactor: Redactor }) {
    this.#tail = new ActivityTail(activityPathOf(folder, role));
    // The folder of a run is <workdir>/.panewright/runs/<id>.
    this.#view = new ActivityView({ workdir: dirname(dirname(dirname(folder.path))) });
    this.#redactor = redactor;
  }

  get end(): number {
    return this.#end;
  }

  /** What the agent is at, in a line; empty where nothing is known of it. */
  get doing(): string {
    return this.#doing;
  }

  async read(): Promise<void> {
    for (let told = await this.#tail.read(); told.length > 0; told = await this.#tail.read()) {
      const rows = told.flatMap((one) => this.#view.rowsOf(one));
      // All at once: a secret may continue in the next row.
      const texts = this.#redactor.rows(rows.map(({ text }) => text));
      for (const [index, { at, mark, style, begins }] of rows.entries()) {
        this.#rows.push({ at, mark, text: texts[index] ?? "", ...present({ style }), begins });
      }
      this.#end += rows.length;
      this.#rows.splice(0, this.#rows.length - MAX_ROWS);
    }
    this.#doing = this.#redactor.text(this.#view.doing());
  }

  /** The rows from this one on; the last ones, with `isReset`, where some were forgotten or are too many. */
  from(row: number): { readonly rows: readonly ActivityRowFrame[]; readonly isReset: boolean } {
    const missing = row < 0 ? Infinity : this.#end - row;
    let count = 0;
    for (let units = 0; count < Math.min(missing, this.#rows.length); count++) {
      units += this.#rows.at(-1 - count)!.text.length;
      if (units > MAX_TOLD) break;
    }
    return { rows: count === 0 ? [] : this.#rows.slice(-count), isReset: count < missing };
  }

  [Symbol.dispose](): void {
    this.#tail[Symbol.dispose]();
  }
}
