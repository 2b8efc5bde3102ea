/** Waits until something is so; after 10 s, an error. */
export async function untilSo(isSo: () => boolean): Promise<void> {
  for (let attempt = 0; attempt < 500; attempt++) {
    if (isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error("This did not come");
}
