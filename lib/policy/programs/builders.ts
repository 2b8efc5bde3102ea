import { type ProgramTable, useOf } from "./table.ts";
import { present } from "../../base/schema.ts";

/** A path that may lead out of the working directory. */
const ELSEWHERE = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/;

/** go 1.23: flags with one dash, `-exec` and `-toolexec` run programs, `-C` changes the folder. */
export const GO: ProgramTable = {
  programs: /^go$/,
  code: true,
  words: true,
  runs: [
    "-exec=",
    "-toolexec=",
    "-vettool=",
    "-overlay=",
    "-modfile=",
    "-compiler=",
    "-ldflags=",
    "-gccgoflags=",
    "-gcflags=",
    "-asmflags=",
    "-http=",
  ],
  writes: [
    "-o=",
    "-coverprofile=",
    "-cpuprofile=",
    "-memprofile=",
    "-blockprofile=",
    "-mutexprofile=",
    "-trace=",
    "-outputdir=",
  ],
  enters: ["-C="],
  valued: ["-run=", "-bench=", "-count=", "-timeout=", "-tags=", "-p=", "-covermode=", "-coverpkg=", "-benchtime="],
  harmless: { "-gcflags": /^(?:all=)?(?:-[NlmS]|\s)*$/, "-ldflags": /^(?:-[sw]|\s|-X\s*[\w./-]+=[\w.-]*)*$/ },
  operands(operands) {
    const [first, second] = operands;
    const name = first?.word.value ?? "";
    const elsewhere = operands.slice(1).filter(({ word }) => ELSEWHERE.test(word.value ?? "")).map((operand) =>
      useOf(/^(?:fmt|fix)$/.test(name) ? "writes" : "reads", operand)
    );
    return first === undefined || !/^(?:run|generate|tool|env)$/.test(name) || (name === "env" && second === undefined)
      ? elsewhere
      : [useOf("runs", first), ...elsewhere];
  },
};

/** cargo 1.80: settings and toolchains name programs. */
export const CARGO: ProgramTable = {
  programs: /^cargo$/,
  code: true,
  runs: [
    ...["--config=", "-Z=", "--manifest-path=", "--config-file=", "--tool-config-file=", "--target="],
    ...["--workspace-remap=", "--target-dir-remap=", "--cargo-metadata=", "--binaries-metadata=", "--archive-file="],
  ],
  writes: ["--target-dir=", "--out-dir=", "--artifact-dir=", "--extract-to=", "--lockfile-path="],
  enters: ["-C="],
  valued: [
    "--workspace",
    "-p=",
    "--package=",
    "--features=",
    "-F=",
    "-j=",
    "--test=",
    "--bin=",
    "--example=",
    "--profile=",
  ],
  harmless: {
    "--manifest-path": /^(?!\/|~|.*\.\.\/)[\w./-]+$/,
    // A file in place of a name says which linker is run.
    "--target": /^(?!.*\.json$)[\w.-]+$/,
  },
  operands(operands) {
    const [first, ...rest] = operands;
    if (first?.word.value === "fmt") {
      return rest.map((operand) => useOf(/^-/.test(operand.word.value ?? "-") ? "runs" : "writes", operand))
        .filter(({ word }) => !/^--(?:check|edition|verbose|quiet)/.test(word.value ?? ""));
    }
    // What follows "--" is for the compiler.
    const compiler = /^(?:clippy|rustc|rustdoc)$/.test(first?.word.value ?? "")
      ? rest.filter(({ word }) => /^-(?:[CZL]|-codegen|-sysroot|-extern)/.test(word.value ?? ""))
      : [];
    if (compiler.length > 0) return compiler.map((operand) => useOf("runs", operand));
    const toolchain = first?.word.value?.startsWith("+") === true ? [useOf("runs", first)] : [];
    // What follows "--" is for the tests or the program.
    const log = operands.findIndex(({ word }) => /^--logfile/.test(word.value ?? ""));
    const file = operands[log]?.word.value?.includes("=") ? operands[log] : operands[log + 1];
    const path = file?.word.value?.replace(/^--logfile=/, "");
    return log === -1 || file === undefined
      ? toolchain
      : [...toolchain, { ...useOf("writes", file), ...present({ path }) }];
  },
};

/** GNU make 4.4: other makefiles, and variables that name programs. */
export const MAKE: ProgramTable = {
  programs: /^g?make$/,
  code: true,
  runs: [
    "-f=",
    "--file=",
    "--makefile=",
    "--eval=",
    "-E=",
    "-I=",
    "--include-dir=",
    "-e",
    "--environment-overrides",
    "--temp-stdin=",
  ],
  enters: ["-C=", "--directory="],
  valued: ["-o=", "-W="],
  operands: (operands) =>
    // Names of variables may have any character, and are expanded, too.
    operands.filter(({ word }) => (word.value ?? "=").includes("=")).map((operand) => ({
      ...useOf("runs", operand),
      // A rule must name the variable.
      length: (operand.word.value ?? "=").indexOf("=") + 1,
    })).filter(({ word }) =>
      !/^(?:V|VERBOSE|DEBUG|BUILD_TYPE|CI|ARGS|TEST|TESTS|PKG|NAME)=[\w./:-]*$/.test(word.value ?? "")
    ),
};

/** ninja, cmake, ctest, gradle, Maven, dotnet, mix and swift. */
export const OTHER_BUILDERS: ProgramTable = {
  programs: /^(?:ninja|cmake|ctest|gradlew?|mvnw?|dotnet|mix|swift|bazel|meson|just|task|rake|ant|sbt)$/,
  code: true,
  runs: [
    ...[
      "-f=",
      "-I=",
      "--init-script=",
      "-b=",
      "--build-file=",
      "-E=",
      "-P=",
      "-S=",
      "--script=",
      "-r=",
      "--require=",
      "--formatter=",
      "-s=",
      "--settings=",
    ],
    ...[
      "-c=",
      "--settings-file=",
      "-gs=",
      "--eval=",
      "-e=",
      "--justfile=",
      "--taskfile=",
      "--toolchain=",
      "--rakefile=",
    ],
    ...["-t=", "--disable-sandbox", "--toolset=", "--destination=", "--multiroot-data-file="],
    ...["-Xswiftc=", "-Xcc=", "-Xcxx=", "-Xlinker=", "-Xbuild-tools-swiftc="],
  ],
  // One of ninja's tools runs a command, another one a server.
  harmless: { "-t": /^(?!msvc$|browse$)/ },
  writes: ["--scratch-path=", "--build-path=", "--cache-path=", "--xunit-output=", "--attachments-path="],
  reads: ["--netrc-file="],
  enters: ["-C=", "--directory=", "-p=", "--project-dir=", "--working-directory=", "-d=", "--package-path="],
  valued: ["-j=", "--target=", "--config="],
  operands: (operands) =>
    operands.filter(({ word }) => ELSEWHERE.test(word.value ?? "")).map((operand) => useOf("reads", operand)),
};
