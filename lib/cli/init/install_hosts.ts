import { readRegularText } from "../../base/ports/regular_file.ts";

/** Where the files of a project that its package manager wrote, or reads, say where packages come from. */
const SOURCES: readonly { readonly files: readonly string[]; readonly before: RegExp }[] = [
  { files: ["package-lock.json", "npm-shrinkwrap.json"], before: /"resolved":\s*"/ },
  { files: ["yarn.lock"], before: /^\s+(?:resolved|resolution:) "(?:[^"\s]*@)?/ },
  { files: ["pnpm-lock.yaml"], before: /\btarball: / },
  { files: [".npmrc", ".yarnrc"], before: /^(?:[\w@/-]+:)?registry[= ]"?/ },
  { files: ["bun.lock", "deno.lock"], before: /"/ },
  { files: ["uv.lock", "poetry.lock", "pdm.lock"], before: /\b(?:url|registry) = "/ },
  { files: ["Pipfile", "Pipfile.lock"], before: /"?\burl"?\s*[:=]\s*"/ },
  {
    files: ["requirements.txt", "pip.conf"],
    before: /^(?:--?(?:extra-)?(?:i|index-url)[ =]|(?:extra-)?index-url\s*=\s*)/,
  },
  { files: ["Cargo.lock"], before: /^source = "(?:registry|git|sparse)\+/ },
  { files: ["Gemfile.lock"], before: /^\s+remote: / },
  { files: ["composer.lock"], before: /"(?:dist|source)":\s*\{\s*"type":\s*"\w+",\s*"url":\s*"/ },
];

const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** A project that installs from more places has to name them itself. */
const MOST_HOSTS = 8;

/** A host that a project installs from, by one of its files. */
export interface InstallHost {
  readonly host: string;
  readonly file: string;
}

/** The hosts that a project's own lock files and settings of package managers name, those named most often first. */
export function installHostsOf(folder: string): readonly InstallHost[] {
  const times = new Map<string, { file: string; times: number }>();
  for (const { files, before } of SOURCES) {
    const named = new RegExp(
      `${before.source}https://(?:[^@/\\s"]+@)?([a-z0-9-]+(?:\\.[a-z0-9-]+)+)(?=[/:"\\s]|$)`,
      "gm",
    );
    for (const file of files) {
      for (const [, host = ""] of (readOrUndefined(`${folder}/${file}`) ?? "").matchAll(named)) {
        if (/^[\d.]+$/.test(host)) continue;
        const one = times.get(host) ?? { file, times: 0 };
        one.times++;
        times.set(host, one);
      }
    }
  }
  return [...times].sort(([, one], [, other]) => other.times - one.times).slice(0, MOST_HOSTS)
    .map(([host, { file }]) => ({ host, file }));
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readRegularText(path, { maxBytes: MAX_FILE_BYTES });
  } catch {
    return undefined;
  }
}
