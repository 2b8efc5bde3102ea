import type { CommandResult } from "../../base/ports/process.ts";
import { type CliSetup, loginWord, type SetupLook, type SetupWord } from "../setup.ts";
import type { Pack, PackLogin } from "./pack.ts";

type LoginLook = Pick<SetupLook, "env" | "kindOf">;

export function findLogin(logins: readonly PackLogin[], look: LoginLook): PackLogin | undefined {
  return logins.find(({ variables = [], file }) => {
    if (!variables.every((name) => (look.env(name) ?? "") !== "")) return false;
    if (file === undefined) return variables.length > 0;
    const path = pathOf(file, look);
    return path !== undefined && look.kindOf(path) === "file";
  });
}

export function loginSetup(
  { login = [], login_settings: settings = [], login_status_args: asks }: Pack,
): CliSetup | undefined {
  if (login.length === 0 && asks === undefined) return undefined;
  return {
    findLogin: (look) => wordFor(login, look, asks !== undefined),
    judgeLogin(said, { kindOf, workdir }) {
      const word = judge(said);
      const other = settings.find((file) => kindOf(`${workdir}/${file}`) === "file");
      if (word.state !== "missing" || other === undefined) return word;
      return { state: "unknown", detail: `${word.detail}, unless by ${other}` };
    },
    findTrust: () => ({ state: "ready", detail: "" }),
  };
}

function wordFor(logins: readonly PackLogin[], look: LoginLook, canAsk: boolean): SetupWord | undefined {
  const found = findLogin(logins, look);
  if (found !== undefined) return { state: "ready", detail: `login by ${wordsOf(found)}` };
  if (canAsk) return undefined;
  // A login may be kept elsewhere, such as in a keychain.
  const named = logins.map(wordsOf);
  const more = named.length > MAX_NAMED ? ", …" : "";
  return { state: "unknown", detail: `nothing shows a login: no ${named.slice(0, MAX_NAMED).join(", ")}${more}` };
}

const MAX_NAMED = 3;

/** Some answer with an object instead of a sentence. */
function judge(said: CommandResult): SetupWord {
  const isLoggedIn = /"logged_?in"\s*:\s*(true|false)/i.exec(said.stdout)?.[1];
  if (isLoggedIn === undefined) return loginWord(said);
  return isLoggedIn === "true"
    ? { state: "ready", detail: "logged in" }
    : { state: "missing", detail: "not logged in" };
}

function wordsOf({ variables = [], file }: PackLogin): string {
  const path = file?.replace(/^\$\{\w+:-([^}]+)\}/, "$1");
  return [...variables, ...(path === undefined ? [] : [path])].join(" with ");
}

function pathOf(file: string, { env }: LoginLook): string | undefined {
  const parts = /^(?:~|\$(?<name>\w+)|\$\{(?<first>\w+):-(?<otherwise>[^}]+)\})(?<rest>\/.*)$/.exec(file)?.groups;
  if (parts === undefined) return file;
  const { name, first, otherwise = "", rest = "" } = parts;
  const home = env("HOME");
  const base = first !== undefined
    ? env(first) || (otherwise.startsWith("~") ? home && `${home}${otherwise.slice(1)}` : otherwise)
    : env(name ?? "HOME");
  return base === undefined || base === "" ? undefined : `${base}${rest}`;
}
