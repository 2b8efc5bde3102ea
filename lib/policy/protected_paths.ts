import { namesIn } from "../shell/mod.ts";
import { isNamePattern, type MatchNameOptions, mayName, withoutBraces } from "./name_patterns.ts";
import DATA from "./protected_paths.json" with { type: "json" };

/**
 * Where nothing is written without a person, in whatever folder it is: settings and hooks of tools that act on them. A
 * folder with a HEAD is a repository to git, and its settings are commands.
 */
const PROTECTED = new Set(namesIn([...DATA.protected.folders, ...DATA.protected.files]));
const PROTECTED_PAIRS = namesIn(DATA.protected.pairs);
const DEFINING = new Set(namesIn(DATA.defining.files));
const DEFINING_FOLDERS = new Set(namesIn(DATA.defining.folders));
const SECRET = new Set(namesIn([...DATA.secret.folders, ...DATA.secret.files]));

const LONG_SECRETS = new Set(namesIn(DATA.secret.longNames));
const SECRET_ENDINGS = namesIn(DATA.secret.endings);
const SECRET_SHAPE = new RegExp(
  [`\\.(?:${SECRET_ENDINGS.join("|")})$`, ...namesIn(DATA.secret.shapes)].join("|"),
);

/** Characters without a shape, and case, make no difference to some file systems. */
function folded(path: string): readonly string[] {
  const spelled = /^[ -~]*$/.test(path)
    ? path
    : path.normalize("NFKC").replace(/\p{Default_Ignorable_Code_Point}/gu, "");
  return spelled.toLowerCase().split("/")
    .map((name) => name.replace(/[. ]+$/, (end) => name === end ? end : "")).filter((name) => name !== "");
}

/**
 * What of a path is protected: only a person may allow that something is written there. In any letter case, in every
 * folder, also where the path is a pattern that may stand for such a name.
 */
export function protectedPart(path: string, options?: MatchNameOptions): string | undefined {
  const names = folded(withoutBraces(path));
  for (const [index, name] of names.entries()) {
    const next = names[index + 1] ?? "";
    for (const pair of PROTECTED_PAIRS) {
      const [folder = "", inner = ""] = pair.split("/");
      if (isCalled(name, folder, options) && isCalled(next, inner, options)) return pair;
    }
    const found = oneOf(PROTECTED, name, options);
    if (found !== undefined) return found;
    // A folder called x.git is a repository to git.
    if (/^\.env(?:$|[._-])|^\.envrc$/.test(name) || /^git~\d$|.\.git$/.test(name)) return name;
  }
  // Removing or replacing a folder takes what is in it.
  return names.at(-1) === ".github" ? ".github" : undefined;
}

/** Whether a path is that of a file that says what programs run that are called by their names only, as `make` does. */
export function definesCommands(path: string): boolean {
  const names = folded(path);
  const [folder = "", name = ""] = names.slice(-2);
  return oneOf(DEFINING, name) !== undefined || DEFINING_FOLDERS.has(folder) ||
    DEFINING_FOLDERS.has(`${names.at(-3)}/${folder}`);
}

function oneOf(names: ReadonlySet<string>, given: string, options?: MatchNameOptions): string | undefined {
  if (!isNamePattern(given)) return names.has(given) ? given : undefined;
  for (const name of names) if (mayName(given, name, options)) return name;
  return undefined;
}

/** Names of which a pattern must spell out something: `t*` is no question of secrets. */
function oneOfLong(given: string, options?: MatchNameOptions): string | undefined {
  const isShort = isNamePattern(given) && given.replaceAll(/\[[^\]]*\]|[*?]/g, "").length < MIN_SPELLED;
  return isShort ? undefined : oneOf(LONG_SECRETS, given, options);
}

const MIN_SPELLED = 4;

/** No file system has longer names. */
const MAX_NAME = 255;

function isCalled(given: string, name: string, options?: MatchNameOptions): boolean {
  return given === name || (isNamePattern(given) && mayName(given, name, options));
}

/**
 * What of a path is secret: only a person may allow that it is read, also where the path is a pattern that may stand
 * for such a name.
 */
export function secretPart(path: string, options?: MatchNameOptions): string | undefined {
  const names = folded(withoutBraces(path));
  for (const [index, name] of names.entries()) {
    const found = oneOf(SECRET, name, options) ?? oneOfLong(name, options);
    if (found !== undefined) return found;
    const next = names[index + 1] ?? "";
    const told = ["config", "credentials"].some((inner) => isNamePattern(next) || isCalled(next, inner, options));
    if (told && isCalled(name, ".git", options)) return ".git/config";
    if (/^\.env(?:$|[._-]|rc$)/.test(name) && !/^\.env\.(?:example|sample|template|dist|defaults?)$/.test(name)) {
      return name;
    }
    const pair = `${name}/${next.slice(-MAX_NAME)}`.slice(-2 * MAX_NAME);
    if (SECRET_SHAPE.test(name.slice(-MAX_NAME))) return name;
    if (next !== "" && SECRET_SHAPE.test(pair)) return pair;
    if (isNamePattern(name) && SECRET_ENDINGS.some((ending) => mayName(name, `x.${ending}`, options))) return name;
  }
  const inProcess = names[0] === "proc" ? names[2] ?? names[1] ?? "" : "";
  return /^(?:environ|mem|maps|cmdline|fd|root|cwd|kcore|kmsg)$/.test(inProcess) ? inProcess : undefined;
}

/** Where anything may be read: what the system brings, and devices without content. */
const READABLE =
  /^\/(?:usr|bin|sbin|lib\w*)(?:\/|$)|^\/(?:opt|nix)\/|^\/etc\/(?:os-release|hosts|services|protocols|mime\.types)$|^\/proc\/(?:cpuinfo|meminfo|version|loadavg|uptime|mounts)$|^\/dev\/(?:null|zero|stdin|stdout|stderr|tty|u?random|fd\/\d+)$/;

/** Whether a path outside the working directory may be read. */
export function isSystemFile(path: string): boolean {
  return READABLE.test(path);
}
