import { type ProgramTable, useOf } from "./table.ts";

/** npm 10, pnpm 9, yarn 4 and npx. What follows `--` is for the script. */
export const NPM: ProgramTable = {
  programs: /^(?:npm|pnpm|yarn)$/,
  code: true,
  runs: [
    ...["--script-shell=", "--shell=", "--prefix=", "--userconfig=", "--globalconfig=", "--node-options=", "--git="],
    ...["-c=", "--call=", "-C=", "--dir=", "--cwd=", "--editor=", "--viewer=", "--init-module=", "--onload-script="],
    ...[
      "--shell-emulator",
      "-g",
      "--global",
      "--location=",
      "--registry=",
      "--use-node-version=",
      "--browser=",
      "--proxy=",
      "--https-proxy=",
      "--cafile=",
      "--strict-ssl",
      "--config.script-shell=",
      "--node-gyp=",
      "--use-yarnrc=",
      "--pnpmfile=",
      "--global-pnpmfile=",
    ],
  ],
  valued: ["-w=", "--workspace=", "--filter=", "-F=", "--loglevel="],
  writes: ["--cache=", "--logs-dir="],
  // npm reads "-x", "---x" and "--no-x" like "--x".
  otherNames: (name) => {
    const bare = name.replace(/^-+/, "").replace(/^(?:no-)+/i, "");
    // pnpm takes any setting in this way.
    if (bare.startsWith("config.")) return ["--config.script-shell"];
    return bare.length > 1 && `--${bare}` !== name ? [`--${bare}`] : [];
  },
  subcommands: { "*": {} },
  operands(operands) {
    const [first, second] = operands;
    const name = first?.word.value ?? "";
    // A program of any package, and one that a rule must therefore name.
    if (/^(?:\.\.|\/|~)/.test(second?.word.value ?? "") && second !== undefined) return [useOf("reads", second)];
    // It reads its program from standard input.
    if (second !== undefined && name === "run" && /^(?:node|bash|sh|python3?)$/.test(second.word.value ?? "")) {
      return [useOf("runs", second)];
    }
    // It shows the environment.
    if (second?.word.value === "env" && /^run(?:-script)?$/.test(name)) return [useOf("runs", second)];
    if (first === undefined || !/^(?:exec|x|dlx|create|init|explore|edit|config|set)$/.test(name)) return [];
    return second === undefined ? [useOf("runs", first)] : [useOf("runs", first), useOf("runs", second)];
  },
};

/** npx runs the program that its first operand names; a rule must name it. */
export const NPX: ProgramTable = {
  programs: /^(?:npx|pnpx|bunx)$/,
  code: true,
  optionsFirst: true,
  runs: ["-c=", "--call=", "-p=", "--package=", "--shell=", "--script-shell=", "--node-options=", "--prefix=", "-C="],
  operands: ([first]) => first === undefined ? [] : [useOf("runs", first)],
};
