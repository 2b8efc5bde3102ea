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
  /** Its sessions, of which an agent may be given a copy to continue. */
  readonly sessions?: SessionFiles;
  /** Has a copy of its state trust a clone, where it trusts what that is a clone of: its terminal would ask. */
  readonly trustClone?: (folder: string, clone: CloneFolders) => Promise<void>;
}

/** The folders of a clone, and those of the person that it is of; absolute paths. */
export interface CloneFolders {
  readonly folders: readonly string[];
  readonly of: readonly string[];
}

/** A session that a person has begun with a CLI. */
export interface OwnSession {
  readonly id: string;
  /** Where it is kept; absolute. */
  readonly file: string;
}

/** Which sessions are meant: those that were begun in a folder, the one of an id, or what processes have open. */
export interface MeantSession {
  readonly cwd: string;
  readonly id?: string;
  readonly pids?: readonly number[];
}

/** Where a CLI keeps its sessions. */
export interface SessionFiles {
  /**
   * The sessions that are meant, the newest first.
   *
   * @param folder of the CLI's state
   */
  readonly find: (folder: string, meant: MeantSession) => Promise<readonly OwnSession[]>;
  /** Where it is looked for below the folder of the state by a CLI that works in a folder. */
  readonly pathOf: (session: OwnSession, cwd: string) => string;
}
