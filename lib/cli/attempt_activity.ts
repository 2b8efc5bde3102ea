import { type LoggedFact, readLoggedFacts } from "../agents/process/log_text.ts";
import { LineTail } from "../base/follow/line_tail.ts";

export class AttemptActivity implements Disposable {
  #tail: LineTail | undefined;
  #untold: readonly LoggedFact[] = [];

  begin(path: string): void {
    this.#tail?.[Symbol.dispose]();
    this.#tail = new LineTail(path);
  }

  /** What has come since the last call. */
  async take(until?: string): Promise<readonly LoggedFact[]> {
    for (;;) {
      // Without its log there is still the journal.
      const { lines = [] } = await this.#tail?.read().catch(() => undefined) ?? {};
      if (lines.length === 0) break;
      this.#untold = [...this.#untold, ...readLoggedFacts(lines)];
    }
    const isLater = ({ at }: LoggedFact) => until !== undefined && at > until;
    const due = this.#untold.filter((one) => !isLater(one));
    this.#untold = this.#untold.filter(isLater);
    return due;
  }

  [Symbol.dispose](): void {
    this.#tail?.[Symbol.dispose]();
  }
}
