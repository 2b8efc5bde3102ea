const VARIABLE = "XDG_STATE_HOME";

let isOwn = false;

/**
 * Keeps the person's state folder out of a test: until this is disposed of, what this process keeps in one is in another
 * place.
 *
 * @param path absolute; as `XDG_STATE_HOME` would have it
 */
export function useStateHome(path: string): Disposable {
  const [before, wasOwn] = [Deno.env.get(VARIABLE), isOwn];
  Deno.env.set(VARIABLE, path);
  isOwn = true;
  return {
    [Symbol.dispose]() {
      isOwn = wasOwn;
      if (before === undefined) Deno.env.delete(VARIABLE);
      else Deno.env.set(VARIABLE, before);
    },
  };
}

/** From the first call on the tests of a file have a temporary state folder, unless they have said which. */
export function useTemporaryStateHome(): void {
  if (isOwn) return;
  const path = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "panewright-test-state-" }));
  const used = useStateHome(path);
  addEventListener("unload", () => {
    used[Symbol.dispose]();
    Deno.removeSync(path, { recursive: true });
  });
}

/**
 * Removes what was said to the runs below a folder that is about to be gone: runs of many tests have the same id, and
 * the next one is not to be taken for one of these that was moved.
 */
export function removeRunMailBelow(folder: string): void {
  for (const run of pathsIn(`${Deno.env.get(VARIABLE)}/panewright/runs`)) {
    for (const entry of pathsIn(run)) {
      if (textOf(`${entry}/place`).startsWith(`${folder}/`)) Deno.removeSync(entry, { recursive: true });
    }
  }
}

function pathsIn(folder: string): readonly string[] {
  try {
    return [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return "";
  }
}
