// deno-lint-ignore-file no-console -- a script for people
/**
 * Compiles the executable: bundled, minified, with its permissions baked in.
 *
 *     deno task compile [--target TRIPLE]
 *
 * `deno compile` needs a base runtime (denort). It downloads one where it may; elsewhere DENORT_BIN names one.
 */
const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
];

const [flag, target, ...rest] = Deno.args;
if (
  rest.length > 0 || (flag !== undefined && (flag !== "--target" || target === undefined || !TARGETS.includes(target)))
) {
  console.error(
    `Cannot compile with "${Deno.args.join(" ")}": the only argument is --target, one of\n  ${TARGETS.join("\n  ")}`,
  );
  Deno.exit(2);
}
const output = target === undefined ? "dist/panewright" : `dist/panewright-${target}`;
const { code } = await new Deno.Command(Deno.execPath(), {
  args: [
    "compile",
    "--quiet",
    "--bundle",
    "--minify",
    "--no-prompt",
    // With 100 agents at work 140 MB instead of 190, of which 10 are in use: tests/bench/hour_of_panes.ts.
    "--v8-flags=--max-semi-space-size=2",
    "-P=panewright",
    ...(target === undefined ? [] : ["--target", target]),
    "--output",
    output,
    "main.ts",
  ],
}).output().then((result) => {
  const text = new TextDecoder().decode(result.stderr);
  if (result.code !== 0) console.error(text);
  return result;
});
if (code !== 0) {
  console.error(
    "Cannot compile the executable: see above. Where the base runtime of Deno cannot be downloaded, get the file `denort`\n" +
      "of this version from Deno's releases and name it: DENORT_BIN=/path/to/denort deno task compile.\n" +
      "Or take the single-file bundle, which any Deno runs: deno task bundle.",
  );
  Deno.exit(code);
}
console.log(output);
