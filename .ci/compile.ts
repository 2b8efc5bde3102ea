// deno-lint-ignore-file no-console -- a script for people
/**
 * Compiles the executable: bundled, with its permissions baked in.
 *
 *     deno task compile [--target TRIPLE]
 *
 * `deno compile` needs a base runtime (denort). It downloads one where it may, after minutes of attempts where it may
 * not, so this looks first whether it can be had. Elsewhere DENORT_BIN names one.
 *
 * @module
 */
import { errorText } from "../lib/base/text/error_text.ts";
import { V8_FLAGS } from "./runtime.ts";

const TARGETS = [
  "x86_64-unknown-linux-gnu",
  "aarch64-unknown-linux-gnu",
  "x86_64-apple-darwin",
  "aarch64-apple-darwin",
];

/** How long the server with the base runtimes may take to answer. */
const ANSWER_LIMIT_MS = 5_000;

const [flag, target, ...rest] = Deno.args;
if (rest.length > 0 || (flag !== undefined && (flag !== "--target" || target === undefined))) {
  fail(`the only argument is --target TRIPLE, not ${Deno.args.join(" ")}`, 2);
}
if (target !== undefined && !TARGETS.includes(target)) fail(`${target} is not one of ${TARGETS.join(", ")}`, 2);

const missing = await whyNoBaseRuntime(target ?? Deno.build.target);
if (missing !== undefined) {
  fail(`${missing}; name a copy with DENORT_BIN=FILE, or make one file of this Deno: deno task pack`);
}
const output = target === undefined ? "dist/panewright" : `dist/panewright-${target}`;
const { code, stderr } = await runDeno([
  "compile",
  "--quiet",
  // Not minified: .ci/bundle.ts says why.
  "--bundle",
  "--no-prompt",
  V8_FLAGS,
  "-P=panewright",
  ...(target === undefined ? [] : ["--target", target]),
  "--output",
  output,
  "main.ts",
]);
if (code !== 0) fail(innermostCause(stderr));
console.log(output);

function fail(reason: string, exitCode = 1): never {
  console.error(`Cannot compile: ${reason}`);
  Deno.exit(exitCode);
}

async function runDeno(args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), { args, stdin: "null" }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Why `deno compile` will not have its base runtime; undefined if it will. */
async function whyNoBaseRuntime(triple: string): Promise<string | undefined> {
  const named = Deno.env.get("DENORT_BIN") ?? "";
  if (named !== "") return await isFile(named) ? undefined : `DENORT_BIN names ${named}, which is not a file`;
  const path = `release/v${Deno.version.deno}/denort-${triple}.zip`;
  const { stdout } = await runDeno(["info", "--json"]);
  if (await isFile(`${JSON.parse(stdout).denoDir}/dl/${path}`)) return undefined;
  const server = "dl.deno.land";
  try {
    const { ok, status } = await fetch(`https://${server}/${path}`, {
      method: "HEAD",
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    return ok ? undefined : `${server} answers ${status} for the base runtime of Deno`;
  } catch (error) {
    const isSilent = error instanceof DOMException && error.name === "TimeoutError";
    const reason = isSilent ? `it did not answer within ${ANSWER_LIMIT_MS / 1000} s` : connectionError(error);
    return `the base runtime of Deno cannot be fetched from ${server} (${reason})`;
  }
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((info) => info.isFile, () => false);
}

/** The last of the causes that Deno lists below an error, which says what went wrong. */
function innermostCause(stderr: string): string {
  const lines = stderr.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return lines.findLast((line) => /^\d+: (?!<)/.test(line))?.replace(/^\d+: /, "") ?? lines[0] ?? "no reason was given";
}

/** What went wrong with a connection, without the steps of `fetch` on the way there. */
function connectionError(error: unknown): string {
  return errorText(error instanceof Error ? error.cause ?? error : error).replace(/^.*: /s, "");
}
