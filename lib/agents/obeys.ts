/** What an agent obeys of a working directory without having been told so. Paths are relative to that. */
export interface ObeyedFiles {
  /** Files, and folders with all that is in them: instructions, skills, plugins, commands. */
  readonly files: readonly string[];
  /** Files of settings, as JSON or TOML. */
  readonly settings: readonly string[];
  /** Keys in these by which something runs, or is permitted. */
  readonly acts: readonly string[];
}
