// deno-lint-ignore-file no-console -- a script for people
/**
 * Makes a container image, as an archive of the OCI's layout, which `docker load`, `podman load` and
 * `skopeo copy oci-archive:FILE …` take: a minimal Debian, and on it the Debian package. It needs `mmdebstrap`, and root.
 *
 *     deno task image [FILE] [--system FOLDER]
 *
 * With `--system`, the folder of a system takes the place of the one that mmdebstrap would make.
 *
 * @module
 */
import { parseArgs } from "@std/cli/parse-args";
import { dirname } from "@std/path/posix";
import { VERSION } from "../lib/base/version.ts";
import { ARCHITECTURE, makeDeb } from "./deb.ts";
import { ROOT } from "./runtime.ts";

/** What panewright, its sandbox and its workspaces need; agents, and what they need, are for an image upon this one. */
const PACKAGES = ["tmux", "git", "openssh-client", "ca-certificates", "bubblewrap", "socat", "ripgrep"];

const MEDIA = "application/vnd.oci.image";
const PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** A part of an image, which is named by its SHA-256. */
interface Blob {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

if (import.meta.main) {
  const { _: [file = `${ROOT}dist/image/panewright.oci.tar`], system } = parseArgs(Deno.args, {
    string: ["_", "system"],
  });
  const output = String(file);
  const folder = `${dirname(output)}/.image.${Deno.pid}`;
  await Deno.mkdir(`${folder}/layout/blobs/sha256`, { recursive: true });
  try {
    await makeImage(output, {
      folder,
      system: system === undefined ? await minimalSystem(`${folder}/system`) : String(system),
    });
  } finally {
    await Deno.remove(folder, { recursive: true }).catch(() => {});
  }
  console.log(output);
}

async function makeImage(
  output: string,
  { folder, system }: { readonly folder: string; readonly system: string },
): Promise<void> {
  const layout = `${folder}/layout`;
  const deb = await makeDeb(folder);
  // The same files are the same image.
  const steady = ["--sort=name", "--mtime=@0", "--numeric-owner", "--format=gnu"];
  const left = ["proc", "sys", "dev", "run", "tmp", "project", "var/cache", "var/lib/apt/lists", "var/log"];
  const without = left.map((path) => `--exclude=./${path}/*`);
  await call("tar", [
    "-C",
    system,
    ...steady,
    ...without,
    "--exclude=./usr/local/bin/*",
    "-cf",
    `${folder}/0.tar`,
    ".",
  ]);
  await call("sh", ["-c", 'dpkg-deb --fsys-tarfile "$0" > "$1"', deb, `${folder}/1.tar`]);
  const layers: Blob[] = [];
  const diffs: string[] = [];
  for (const layer of [`${folder}/0.tar`, `${folder}/1.tar`]) {
    diffs.push(`sha256:${await digestOf(layer)}`);
    await call("gzip", ["-n", "-6", layer]);
    layers.push(await keep(`${layer}.gz`, { layout, mediaType: `${MEDIA}.layer.v1.tar+gzip` }));
  }
  const write = async (name: string, mediaType: string, content: object) => {
    await Deno.writeTextFile(`${folder}/${name}`, JSON.stringify(content));
    return await keep(`${folder}/${name}`, { layout, mediaType });
  };
  const platform = { architecture: ARCHITECTURE, os: "linux" };
  const config = await write("config.json", `${MEDIA}.config.v1+json`, {
    ...platform,
    config: {
      Entrypoint: ["panewright"],
      Cmd: ["help"],
      Env: [`PATH=${PATH}`, "LANG=C.UTF-8", "TERM=xterm-256color"],
      WorkingDir: "/work",
      Labels: { "org.opencontainers.image.title": "panewright", "org.opencontainers.image.version": VERSION },
    },
    rootfs: { type: "layers", diff_ids: diffs },
  });
  const manifest = await write("manifest.json", `${MEDIA}.manifest.v1+json`, {
    ...{ schemaVersion: 2, mediaType: `${MEDIA}.manifest.v1+json`, config, layers },
  });
  const named = {
    ...manifest,
    platform,
    annotations: { "org.opencontainers.image.ref.name": `panewright:${VERSION}` },
  };
  await Deno.writeTextFile(
    `${layout}/index.json`,
    JSON.stringify({ schemaVersion: 2, mediaType: `${MEDIA}.index.v1+json`, manifests: [named] }),
  );
  await Deno.writeTextFile(`${layout}/oci-layout`, JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await call("tar", ["-C", layout, "--sort=name", "--mtime=@0", "-cf", output, "."]);
}

/** Moves a file to where the layout has it. */
async function keep(
  file: string,
  { layout, mediaType }: { readonly layout: string; readonly mediaType: string },
): Promise<Blob> {
  const digest = await digestOf(file);
  const { size } = await Deno.stat(file);
  await Deno.rename(file, `${layout}/blobs/sha256/${digest}`);
  return { mediaType, digest: `sha256:${digest}`, size };
}

async function digestOf(file: string): Promise<string> {
  return (await call("sha256sum", ["--", file])).slice(0, 64);
}

async function minimalSystem(folder: string): Promise<string> {
  const { VERSION_CODENAME: codename = "bookworm" } = Object.fromEntries(
    (await Deno.readTextFile("/etc/os-release")).split("\n").map((line) => line.split(/=(.*)/s, 2)),
  );
  await call("mmdebstrap", ["--quiet", "--variant=minbase", `--include=${PACKAGES.join(",")}`, codename, folder]);
  return folder;
}

/** What a program writes to standard output. */
async function call(program: string, args: readonly string[]): Promise<string> {
  const env = { PATH, LC_ALL: "C" };
  const { code, stdout, stderr } = await new Deno.Command(program, { args: [...args], env }).output().catch((error) => {
    console.error(`Cannot make an image: ${program} cannot be started: ${error.message}`);
    Deno.exit(2);
  });
  const decoder = new TextDecoder();
  if (code === 0) return decoder.decode(stdout);
  console.error(`Cannot make an image: ${program} ended with ${code}\n${decoder.decode(stderr)}`);
  Deno.exit(1);
}
