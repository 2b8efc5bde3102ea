/** What ends a run of any plan. */
export interface FinishRun {
  readonly do: "finish_run";
  readonly outcome: "pass" | "fail";
  readonly reason: string;
}

/**
 * Does what a plan's machine says is next, until what was done is the end.
 *
 * @throws what `perform` throws, and the signal's reason when it is aborted
 */
export async function followActions<Action extends { readonly do: string }, End>(
  { next, perform, signal }: {
    readonly next: () => Action;
    /** @returns `undefined` where the run goes on */
    readonly perform: (action: Action) => Promise<End | undefined>;
    readonly signal: AbortSignal | undefined;
  },
): Promise<End> {
  for (;;) {
    signal?.throwIfAborted();
    const end = await perform(next());
    if (end !== undefined) return end;
  }
}
