export interface FinishRun {
  readonly do: "finish_run";
  readonly outcome: "pass" | "fail";
  readonly reason: string;
}

export async function followActions<Action extends { readonly do: string }, End>(
  { next, perform, signal }: {
    readonly next: () => Action;
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
