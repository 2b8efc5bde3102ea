/** What is known of a CLI that works inside the operating system's sandbox as a whole. */
export interface WholeSupport {
  /** The variable that names the folder of its state, and that folder below the home where it is not set. */
  readonly state: { readonly variable: string; readonly folder: string };
  /** What of that folder an agent gets a copy of: its settings, and what they name. */
  readonly copied: readonly string[];
  /** A file of its state that lies beside the folder where the variable is not set. */
  readonly beside?: string | undefined;
  /**
   * The file with its login, in that folder: shared, since a login that is refreshed in a copy logs the person out.
   * Missing where variables alone hold one.
   */
  readonly login?: string | undefined;
  /** The hosts of its model, and of its login. */
  readonly hosts: readonly string[];
  /**
   * What its CLI tries by itself when it starts, and can do without, as a refusal tells it; `~` is the home, `<uid>` the
   * user. It is refused without a word, a host once for each start.
   */
  readonly ownTries?: readonly string[] | undefined;
  /** Names of the variables that it reads; `*` at the end stands for any. */
  readonly variables: readonly string[];
  /** The variable that names its folder for temporary files, where that is not TMPDIR. */
  readonly temporary?: string | undefined;
  /** What is set for it inside. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Makes a copy of its state fit for work inside. */
  readonly adapt?: (folder: string) => Promise<void>;
  /** Has a copy of its state trust a clone, where it trusts what that is a clone of: its terminal would ask. */
  readonly trustClone?: (folder: string, clone: CloneFolders) => Promise<void>;
}

/** The folders of a clone, and those of the person that it is of; absolute paths. */
export interface CloneFolders {
  readonly folders: readonly string[];
  readonly of: readonly string[];
}
