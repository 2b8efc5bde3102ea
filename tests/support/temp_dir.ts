import { removeRunMailBelow, useTemporaryStateHome } from "./state_home.ts";

/** A folder that is gone after the test, at its real path. */
export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** Writes files by their relative paths; folders are made. */
  write(files: Readonly<Record<string, string>>): Promise<void>;
}

/** Makes a folder for one test, and a state folder for its runs. */
export async function tempDir(): Promise<TempDir> {
  useTemporaryStateHome();
  // Deno's own names differ in length, and so would the places in files that have them.
  const made = `${Deno.env.get("TMPDIR") ?? "/tmp"}/panewright-test-${crypto.randomUUID().slice(-12)}`;
  await Deno.mkdir(made, { mode: 0o700 });
  const path = await Deno.realPath(made);
  return {
    path,
    async write(files) {
      for (const [name, text] of Object.entries(files)) {
        const file = `${path}/${name}`;
        await Deno.mkdir(file.slice(0, file.lastIndexOf("/")), { recursive: true });
        await Deno.writeTextFile(file, text);
      }
    },
    async [Symbol.asyncDispose]() {
      removeRunMailBelow(path);
      await Deno.remove(path, { recursive: true });
    },
  };
}
