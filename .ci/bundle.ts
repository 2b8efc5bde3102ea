/**
 * Bundles the program into dist/: one file that any Deno runs, and two that it starts where they are beside it.
 *
 *     deno task bundle [ENTRY FILE]
 *
 * `deno bundle --minify` (2.9.6) cannot be used: its esbuild removes a `using` whose variable is used once, and nothing is
 * closed then (https://github.com/evanw/esbuild/issues/4482).
 *
 * @module
 */
import { build, type Plugin } from "esbuild";
import config from "../deno.json" with { type: "json" };
import { BUNDLE_FILES, ROOT } from "./runtime.ts";

const ENTRIES: Readonly<Record<typeof BUNDLE_FILES[number], string>> = {
  "panewright.mjs": "main.ts",
  "panewright-hook.mjs": "lib/turn/desk/hook_main.ts",
  "panewright-sandbox.mjs": "lib/sandbox/panewright-sandbox.mjs",
};

/**
 * What CommonJS packages require that is not in the bundle. With `node:module` comes most of what Deno has of Node: it is
 * loaded with the first of them, not at each start.
 */
const REQUIRE = "var require=(made=>name=>" +
  '(made??=process.getBuiltinModule("node:module").createRequire(import.meta.url))(name))();';

const IMPORTS: Readonly<Record<string, string>> = config.imports;

/** What deno.json maps of the imports of our own files, as Deno has installed it. */
const MAPPED: Plugin = {
  name: "imports of deno.json",
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^[@\w]/ }, async ({ importer, kind, path, pluginData }) => {
      if (pluginData === MAPPED || importer.includes("/node_modules/") || path.startsWith("node:")) return undefined;
      const key = Object.keys(IMPORTS).filter((key) => `${path}/`.startsWith(`${key}/`)).toSorted().at(-1);
      if (key === undefined) return undefined;
      const [, name = "", version, file = ""] = /^npm:(@?[^@]+)@([^/]+)(.*)$/.exec(IMPORTS[key] ?? "") ?? [];
      const resolveDir = `${ROOT}node_modules/.deno/${name.replace("/", "+")}@${version}/node_modules`;
      return await resolve(`${name}${file}${path.slice(key.length)}`, { kind, resolveDir, pluginData: MAPPED });
    });
  },
};

/** The text of one file that holds a program. */
async function bundled(entry: string): Promise<string> {
  const { outputFiles: [made] } = await build({
    absWorkingDir: ROOT,
    entryPoints: [entry],
    external: entry === "main.ts" ? ["./panewright-sandbox.mjs"] : [],
    plugins: [MAPPED],
    bundle: true,
    charset: "ascii",
    conditions: ["deno"],
    format: "esm",
    legalComments: "none",
    logLevel: "error",
    mainFields: ["module", "main"],
    minify: true,
    platform: "node",
    target: "esnext",
    write: false,
  });
  const text = made!.text.replaceAll(/[^\0-\x7f]/g, escaped);
  return text.includes("Dynamic require of") ? `${REQUIRE}${text}` : text;
}

/**
 * What is not ASCII also in patterns: a few such characters have V8 keep all of a program in twice its memory, and start it
 * in a fifth more time (203 against 165 ms). Unit by unit: a pattern without the flag "u" has no other way to write what takes two.
 */
function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

const [entry, output = ""] = Deno.args;
const wanted = entry === undefined
  ? BUNDLE_FILES.map((file) => [ENTRIES[file], `${ROOT}dist/${file}`] as const)
  : [[entry, output]] as const;
await Deno.mkdir(`${ROOT}dist`, { recursive: true });
await Promise.all(wanted.map(async ([entry, output]) => await Deno.writeTextFile(output, await bundled(entry))));
// What esbuild runs goes on otherwise.
Deno.exit();
