// deno-lint-ignore-file no-console -- a script for people
/**
 * Makes a Debian package of the one file, with its manual pages and the completion of three shells. It needs `dpkg-deb`,
 * which is on each Debian, and no network.
 *
 *     deno task deb [FOLDER]
 *
 * @module
 */
import { dirname } from "@std/path/posix";
import { VERSION } from "../lib/base/version.ts";
import { pack } from "./pack.ts";
import { ROOT } from "./runtime.ts";

const NAME = "panewright";

/** Debian's names for what Deno calls the processor. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: "amd64", aarch64: "arm64" };

/** Where each shell looks for the completion of a package. */
const COMPLETIONS = {
  bash: `usr/share/bash-completion/completions/${NAME}`,
  zsh: `usr/share/zsh/vendor-completions/_${NAME}`,
  fish: `usr/share/fish/vendor_completions.d/${NAME}.fish`,
} as const;

/** Debian's name for the processor of this machine; `undefined` where there can be no package for it. */
export const ARCHITECTURE = Deno.build.os === "linux" ? ARCHITECTURES[Deno.build.arch] : undefined;

if (import.meta.main) {
  const [folder = `${ROOT}dist/deb`] = Deno.args;
  console.log(await makeDeb(folder));
}

/** Makes the package in a folder, and returns its path. */
export async function makeDeb(folder: string): Promise<string> {
  const architecture = ARCHITECTURE;
  if (architecture === undefined) {
    console.error(`Cannot make a Debian package: it would be for ${Deno.build.target}`);
    Deno.exit(2);
  }
  const output = `${folder}/${NAME}_${VERSION}_${architecture}.deb`;
  const root = `${folder}/.root.${Deno.pid}`;
  await Deno.mkdir(folder, { recursive: true });
  try {
    await fill(root, architecture);
    // What is in it is compressed already.
    await call("/usr/bin/dpkg-deb", ["--build", "--root-owner-group", "-Zgzip", "-z1", root, output]);
  } finally {
    await Deno.remove(root, { recursive: true }).catch(() => {});
  }
  return output;
}

/** Puts all files of the package below a folder. */
async function fill(root: string, architecture: string): Promise<void> {
  const program = `${root}/usr/bin/${NAME}`;
  const write = async (path: string, content: string | Uint8Array, mode = 0o644) => {
    await Deno.mkdir(dirname(`${root}/${path}`), { recursive: true });
    await (typeof content === "string" ? Deno.writeTextFile : Deno.writeFile)(
      `${root}/${path}`,
      content as string & Uint8Array,
      { mode },
    );
  };
  await write(`usr/bin/${NAME}`, await pack(), 0o755);
  const home = `${root}/home`;
  await Deno.mkdir(home);
  const panewright = (...args: readonly string[]) => call(program, args, { HOME: home, PATH: "/usr/bin:/bin" });
  for (const [shell, path] of Object.entries(COMPLETIONS)) await write(path, await panewright("completion", shell));
  const pages = `${root}/usr/share/man/man1`;
  await Deno.mkdir(pages, { recursive: true });
  await panewright("man", "--to", pages);
  await Deno.remove(home, { recursive: true });
  for await (const { name } of Deno.readDir(pages)) {
    const page = await Deno.readFile(`${pages}/${name}`);
    await write(`usr/share/man/man1/${name}.gz`, await zipped(page));
    await Deno.remove(`${pages}/${name}`);
  }
  await write(
    `usr/share/doc/${NAME}/copyright`,
    `${await Deno.readTextFile(`${ROOT}LICENSE`)}\n${await panewright("version", "--licenses")}`,
  );
  await write("DEBIAN/control", control(architecture, await kibIn(root)));
}

function control(architecture: string, installedKib: number): string {
  const fields = {
    Package: NAME,
    Version: VERSION,
    Architecture: architecture,
    Maintainer: "the panewright authors <panewright@localhost>",
    "Installed-Size": installedKib,
    // To unpack itself; the rest is for what not every job needs.
    Depends: "coreutils, gzip, libc6",
    Recommends: "tmux (>= 3.2), git",
    Suggests: "bubblewrap, socat, ripgrep",
    Section: "devel",
    Priority: "optional",
    Description: "runs coding agents unattended\n" +
      " Roles in tmux panes or steps of a pipeline work on a job until the project's\n" +
      " tests pass; what only a person may decide is put to a person.",
  };
  return Object.entries(fields).map(([name, value]) => `${name}: ${value}\n`).join("");
}

async function kibIn(folder: string): Promise<number> {
  let kib = 0;
  for await (const { name, isDirectory } of Deno.readDir(folder)) {
    const path = `${folder}/${name}`;
    kib += isDirectory ? await kibIn(path) : Math.ceil((await Deno.stat(path)).size / 1024);
  }
  return kib;
}

async function zipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("gzip"))).bytes();
}

/** What a program writes to standard output. */
async function call(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = { PATH: "/usr/bin:/bin" },
): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], env, clearEnv: true }).output();
  const decoder = new TextDecoder();
  if (code === 0) return decoder.decode(stdout);
  console.error(`Cannot make a Debian package: ${program} ended with ${code}\n${decoder.decode(stderr)}`);
  Deno.exit(1);
}
