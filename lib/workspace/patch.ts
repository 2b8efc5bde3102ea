/**
 * The hunks of a patch of `git diff --unified=0`: each line of a file begins with a sign of its own in it, so that no text
 * can look like a file's head.
 */
export function hunksIn(patch: string) {
  return patch.split(/^(?=diff --git )/m).flatMap((file) => {
    const [head = "", ...parts] = file.split(/^(?=@@ )/m);
    // As git writes it where it quotes a name.
    const [, path] = /^\+\+\+ "?b\/(.*?)"?\t?$/m.exec(head) ?? /^--- "?a\/(.*?)"?\t?$/m.exec(head) ?? [];
    return path === undefined ? [] : parts.map((part) => {
      const { removed, first } = /^@@ -\d+(?:,(?<removed>\d+))? \+(?<first>\d+)/.exec(part)?.groups ?? {};
      const added = part.split("\n").flatMap((line) => line.startsWith("+") ? [line.slice(1)] : []);
      return { path, first: Number(first), added, removed: Number(removed ?? 1), patch: `${head}${part}` };
    });
  });
}
