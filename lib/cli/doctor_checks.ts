import { resolve } from "@std/path/posix";
import { systemHost } from "../ports/host.ts";
import type { ProcessRunner } from "../ports/process.ts";
import type { CliProgram, Provider } from "../providers/provider.ts";
import { createTmuxClient } from "../tmux/plain_client.ts";
import { killServer } from "../tmux/server.ts";
import { requireTmux, TMUX_INSTALL_HINT } from "../tmux/version.ts";
import { PanewrightError } from "../errors.ts";
import { errorText } from "../text/error_text.ts";

/** What one look at the machine found. */
export interface Finding {
  /** What was looked at: `tmux`, `Codex`, `terminal`. */
  readonly check: string;
  /** `fail`: a run cannot work. `warn`: it may not. */
  readonly status: "ok" | "warn" | "fail";
  readonly detail: string;
  /** What to do about it, as full sentences; present unless the status is `ok`. */
  readonly remedy?: string;
}

/** What the checks need of the outside. */
export interface DoctorContext {
  readonly processRunner: ProcessRunner;
  readonly signal: AbortSignal;
  env(name: string): string | undefined;
}

/** No program that is asked for its version may hold up the doctor longer than this. */
const PROGRAM_TIMEOUT_MS = 15_000;

/** tmux: there, new enough, and able to start a server. */
export async function checkTmux({ processRunner }: DoctorContext): Promise<Finding> {
  const socket = `panewright-doctor-${crypto.randomUUID().slice(0, 8)}`;
  const client = createTmuxClient({ socket, processRunner });
  try {
    const version = await requireTmux(client);
    const started = await client.run(["new-session", "-d", "-x", "80", "-y", "24", "--", "sleep", "60"]);
    if (started.code === 0) {
      await killServer(client);
      return { check: "tmux", status: "ok", detail: `${version}, starts a server` };
    }
    return {
      check: "tmux",
      status: "fail",
      detail: `${version} cannot start a server: ${started.stderr.trim()}`,
      remedy: "The folder of tmux's sockets (TMUX_TMPDIR, or /tmp) must be writable for you.",
    };
  } catch (error) {
    if (!(error instanceof PanewrightError)) throw error;
    return { check: "tmux", status: "fail", detail: error.message, remedy: error.hint ?? TMUX_INSTALL_HINT };
  }
}

/**
 * An agent CLI: there, its version, and whether somebody is logged in. `installed` says whether it runs at all.
 *
 * @param options `needed` when the configuration uses it
 */
export async function checkAgent(
  provider: Provider & { readonly cli: CliProgram },
  context: DoctorContext,
  options: { readonly needed: boolean },
): Promise<Finding & { readonly installed: boolean }> {
  const { cli, label: check } = provider;
  const ask = async (args: readonly string[]) => {
    try {
      return await context.processRunner.run({
        argv: [cli.program, ...args],
        timeoutMs: PROGRAM_TIMEOUT_MS,
        signal: context.signal,
      });
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return undefined;
      throw error;
    }
  };
  const version = await ask(cli.versionArgs);
  if (version === undefined) {
    return {
      check,
      installed: false,
      status: options.needed ? "fail" : "warn",
      detail: `there is no program "${cli.program}" on PATH`,
      remedy: cli.installHint,
    };
  }
  if (version.code !== 0) {
    const said = firstLine(version.stderr) || firstLine(version.stdout);
    return {
      check,
      installed: false,
      status: options.needed ? "fail" : "warn",
      detail: `${cli.program} ${cli.versionArgs.join(" ")} ended with code ${version.code}: ${said}`,
      remedy: cli.installHint,
    };
  }
  const name = firstLine(version.stdout) || cli.program;
  if (cli.loginStatusArgs === undefined) return { check, installed: true, status: "ok", detail: name };
  const login = await ask(cli.loginStatusArgs);
  const rejected = await findRejectedKey(cli, context);
  const said = rejected ?? (firstLine(login?.stdout ?? "") || firstLine(login?.stderr ?? ""));
  if (login?.code === 0 && rejected === undefined) {
    return { check, installed: true, status: "ok", detail: said === "" ? name : `${name}; ${said}` };
  }
  return {
    check,
    installed: true,
    status: "warn",
    detail: `${name}; ${said === "" ? "not logged in" : said}`,
    remedy: provider.terminal?.startupRemedies.login ?? `Log in with ${cli.program} once.`,
  };
}

/** Why the CLI will not use the key of the environment, whatever its login status says. */
async function findRejectedKey({ rejectedKey }: CliProgram, { env }: DoctorContext): Promise<string | undefined> {
  const file = rejectedKey?.settingsFile(env);
  if (file === undefined) return undefined;
  const settings = await Deno.readTextFile(file).catch(() => "");
  return rejectedKey?.problem(settings, env);
}

/**
 * A program that the configuration names for an agent, which is only looked for: what came with a repository is not run
 * before the person trusts it.
 *
 * @param folder what a relative path starts from
 */
export function checkNamedProgram(
  check: string,
  [program]: readonly [string, ...string[]],
  { folder, env }: { readonly folder: string; readonly env: DoctorContext["env"] },
): Finding {
  if (findProgram(program, { folder, searchPath: env("PATH") ?? "" })) {
    return { check, status: "ok", detail: `${program} of the config is there; doctor does not run it` };
  }
  return {
    check,
    status: "fail",
    detail: `there is no program "${program}"${program.includes("/") ? "" : " on PATH"}`,
    remedy: "Correct the command of the config, or install the program.",
  };
}

/** The file of a program, links resolved: by its path, or found on a search path; `undefined` where there is none. */
export function findProgram(
  program: string,
  { folder, searchPath }: { readonly folder: string; readonly searchPath: string },
): string | undefined {
  const host = systemHost({ PATH: searchPath });
  const candidates = program.includes("/") ? [resolve(folder, program)] : host.path.map((each) => `${each}/${program}`);
  return candidates.map((file) => host.realFile(file)).find((file) => file !== undefined);
}

/** The environment that agents inherit: a terminal type, and a locale that knows UTF-8. */
export function checkTerminal({ env }: DoctorContext): Finding[] {
  const locale = [env("LC_ALL"), env("LC_CTYPE"), env("LANG")].find((value) => value !== undefined && value !== "");
  const term = env("TERM") ?? "";
  return [
    term === "" || term === "dumb"
      ? {
        check: "terminal",
        status: "warn",
        detail: term === "" ? "TERM is not set" : "TERM is dumb",
        remedy: "Progress is shown as plain lines. In a terminal, set TERM, for example to xterm-256color.",
      }
      : { check: "terminal", status: "ok", detail: `TERM is ${term}` },
    locale !== undefined && /utf-?8/i.test(locale) ? { check: "locale", status: "ok", detail: locale } : {
      check: "locale",
      status: "warn",
      detail: locale === undefined ? "none of LC_ALL, LC_CTYPE and LANG is set" : `${locale} is no UTF-8 locale`,
      remedy: "Set a UTF-8 locale, for example LANG=C.UTF-8, so that agents draw their screens as they were recorded.",
    },
  ];
}

/** Whether a file can be written in a folder. */
export async function checkFolder(check: string, folder: string): Promise<Finding> {
  try {
    const path = await Deno.makeTempFile({ dir: folder, prefix: ".panewright-doctor-" });
    await Deno.remove(path);
    return { check, status: "ok", detail: `${folder} is writable` };
  } catch (error) {
    return {
      check,
      status: "fail",
      detail: `${folder} is not writable: ${errorText(error)}`,
      remedy: "Make the folder and give yourself the right to write there, or name another one.",
    };
  }
}

function firstLine(text: string): string {
  return text.split("\n").map((line) => line.trim()).find((line) => line !== "") ?? "";
}
