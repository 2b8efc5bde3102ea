/** Which recordings prove a rule. */
export interface Proof {
  /** A recording on which the rule decides, as `VERSION/NAME`. */
  readonly fixture: string;
  /** The versions of the CLI on whose recordings it decides, oldest first. */
  readonly versions: readonly string[];
}

/**
 * What `proofs.json` beside the recorded screens of a provider says of its rules; one without an entry has no
 * recording.
 */
export function readProofs(provider: string): Readonly<Record<string, Proof>> {
  const path = new URL(`../../fixtures/screens/${provider}/proofs.json`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(path));
}
