/** Until what it returns is called. `visibilitychange` reaches the window as well. */
export function listen(names: readonly string[], act: () => void): () => void {
  for (const name of names) addEventListener(name, act);
  return () => names.forEach((name) => removeEventListener(name, act));
}
