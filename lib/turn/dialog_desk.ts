/** Deals with the dialogs of one turn, in place of the text `y`: it knows what they ask, and how to answer them. */
export interface DialogDesk {
  /**
   * Looks at the dialog that is open, and decides what is to be done about it. Called at each poll that finds the agent
   * waiting.
   *
   * @returns `undefined` where none is open any more
   * @throws {HumanInterventionRequiredError} when a person had to answer it, and none did in time
   */
  inspect(): Promise<OpenDialog | undefined>;
  /** Whether a call waits for an answer, of which its agent shows nothing. @default {false} */
  holds?(): boolean;
  /** Told at each poll that finds no dialog open. */
  noteClosed(): void;
  /** Told when its agent is gone, or has failed: what a person is asked stays open, and their answer counts. */
  leaveOpen?(): void;
  /**
   * Told when the turn begins: until disposal it may answer requests that come to it without a dialog, within the
   * limits of the turn.
   */
  serve?(limits: TurnLimits): Disposable;
  /**
   * Resolves once no answer is being given: all that were given are on record then. A response is taken only after
   * that, so that nothing of a turn is recorded after its end.
   *
   * @throws {Error} when an answer that was to be given without a dialog could not be
   */
  settled?(): Promise<void>;
}

/** How many requests of a turn may be answered without a person. */
export interface TurnLimits {
  /** Takes one of the answers that the turn has left, and tells of it in the log. */
  take(answer: {
    readonly decision: "accept" | "decline";
    /** What the agent asks for, in a few words: "the command `npm test`". */
    readonly request: string;
    /** Why, as a full sentence. */
    readonly reason: string;
  }): boolean;
}

/** A dialog that is open, and what is to be done about it. */
export type OpenDialog =
  /** A person has to answer it, and was told. */
  | { readonly decision: "wait" }
  | {
    /** A person said what its questions are to be answered with. */
    readonly decision: "reply";
    /** Writes it down and gives the answer; resolves to whether it was given. */
    answer(): Promise<boolean>;
  }
  | {
    readonly decision: "accept" | "decline";
    /** Who decided. What a person says, and the sandbox lets an agent do, counts towards no limit. */
    readonly by: "policy" | "person" | "sandbox";
    /** What the agent asks for, in a few words: "the command `npm test`". */
    readonly request: string;
    /** Why, as a full sentence, for the agent that is refused. */
    readonly reason: string;
    /** The last lines of the screen that are not blank. */
    readonly tail: readonly string[];
    /** Whether the agent is told why with a no, and works on. @default {false} */
    readonly tellsWhy?: boolean;
    /** Writes the decision down and carries it out. */
    answer(): Promise<boolean>;
  };
