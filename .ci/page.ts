// deno-lint-ignore-file no-console -- a script for people
/**
 * Writes lib/api/report/page.json: what reports and live pages carry into the browser, made from lib/page/.
 *
 *     deno task page
 */
const ROOT = new URL("../", import.meta.url).pathname;
const SOURCES = `${ROOT}lib/page`;

/** The file, below the root of the repository. */
export const PAGE_FILE = `${ROOT}lib/api/report/page.json`;

/** Script and style of the page, with what a Content-Security-Policy names each by. */
export async function buildPage(): Promise<string> {
  const script = (await bundle(`${SOURCES}/main.tsx`)).trim();
  const style = minifyStyle(await Deno.readTextFile(`${SOURCES}/page.css`));
  // Both stand inside of an element, which these would end or confuse.
  for (const text of [script, style]) {
    if (/<\/(?:script|style)|<!--/i.test(text)) throw new Error("the page's code must not contain </script or <!--");
  }
  const page = { script, style, scriptHash: await hashOf(script), styleHash: await hashOf(style) };
  return `${JSON.stringify(page, undefined, 2)}\n`;
}

async function bundle(path: string): Promise<string> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["bundle", "--quiet", "--minify", "--platform", "browser", path],
    cwd: ROOT,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`Cannot bundle ${path}: ${new TextDecoder().decode(stderr)}`);
  return new TextDecoder().decode(stdout);
}

/** CSS without comments and the white space that means nothing; the page's own has no strings with either. */
function minifyStyle(css: string): string {
  return css.replaceAll(/\/\*[^]*?\*\//g, "").replaceAll(/\s+/g, " ").replaceAll(/ ?([{};,]) ?/g, "$1")
    .replaceAll(";}", "}").replaceAll(/: /g, ":").trim();
}

/** `sha256-…`, as a Content-Security-Policy has it. */
async function hashOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return `sha256-${new Uint8Array(digest).toBase64()}`;
}

if (import.meta.main) {
  const page = await buildPage();
  await Deno.writeTextFile(PAGE_FILE, page);
  console.log(`${PAGE_FILE}: ${page.length} bytes`);
}
