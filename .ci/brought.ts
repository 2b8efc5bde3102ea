/** Keeps the library's files that run inside in a form that a bundle and an executable bring along. */
const FOLDER = "node_modules/@anthropic-ai/sandbox-runtime/vendor";
const FILES = {
  "apply-seccomp-x86_64": "seccomp/x64/apply-seccomp",
  "apply-seccomp-aarch64": "seccomp/arm64/apply-seccomp",
  "srt-proxy-agent.jar": "java-proxy-agent/srt-proxy-agent.jar",
};

const files = await Promise.all(
  Object.entries(FILES).map(async ([name, path]) => {
    const bytes = await Deno.readFile(`${FOLDER}/${path}`);
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    const sha256 = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    return [name, { sha256, gzip: (await new Response(packed).bytes()).toBase64() }] as const;
  }),
);
await Deno.writeTextFile("lib/sandbox/brought.json", `${JSON.stringify(Object.fromEntries(files), null, 2)}\n`);
