/** Keeps the library's programs that bar Unix sockets in a form that a bundle and an executable bring along. */
const FOLDER = "node_modules/@anthropic-ai/sandbox-runtime/vendor/seccomp";
const MACHINES = { x86_64: "x64", aarch64: "arm64" };

const programs = await Promise.all(
  Object.entries(MACHINES).map(async ([arch, folder]) => {
    const bytes = await Deno.readFile(`${FOLDER}/${folder}/apply-seccomp`);
    const packed = new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"));
    return [arch, (await new Response(packed).bytes()).toBase64()] as const;
  }),
);
await Deno.writeTextFile("lib/sandbox/seccomp.json", `${JSON.stringify(Object.fromEntries(programs), null, 2)}\n`);
