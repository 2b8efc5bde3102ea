/**
 * Whether git may take a folder for a repository of its own: it has a `.git`, or a `HEAD` as a bare one has. So may one
 * that is not there, or that may not be looked at: another command may make it.
 */
export function mayHoldRepository(folder: string): boolean {
  try {
    if (!Deno.statSync(folder).isDirectory) return true;
    for (const { name } of Deno.readDirSync(folder)) {
      if (/^(?:\.git|head)$/i.test(name)) return true;
    }
    return false;
  } catch {
    return true;
  }
}
