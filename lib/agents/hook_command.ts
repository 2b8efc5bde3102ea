/** A program that an agent's CLI runs as its hook. */
export interface HookCommand {
  /** A text for a shell. */
  readonly command: string;
  /** How long the CLI waits for it. */
  readonly timeoutSeconds: number;
}
