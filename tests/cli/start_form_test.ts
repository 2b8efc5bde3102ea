import { assertEquals } from "@std/assert";
import { commandInForm, type Start, taskInForm } from "../../lib/cli/start_form.ts";

const FROM_SOURCES = "/src/panewright/main.ts";
const NPX = { npm_command: "exec", npm_lifecycle_event: "npx" };

function start(changes: Partial<Omit<Start, "env">> & { readonly env?: Readonly<Record<string, string>> }): Start {
  const { env = {}, ...others } = changes;
  return {
    executable: "/opt/deno",
    isStandalone: false,
    main: FROM_SOURCES,
    denoVersion: "2.9.6",
    cwd: "/src/panewright",
    isOnPath: () => true,
    ...others,
    env: (name) => env[name],
  };
}

const FORMS: Readonly<Record<string, readonly [Start, string]>> = {
  "the sources": [start({}), "deno run -A /src/panewright/main.ts init"],
  "the sources, with npx": [start({ env: NPX }), "npx -y deno@2.9.6 run -A /src/panewright/main.ts init"],
  "a Deno that is not on PATH": [start({ isOnPath: () => false }), "/opt/deno run -A /src/panewright/main.ts init"],
  "the bundle, in a folder with a blank": [
    start({ main: "/my stuff/panewright.mjs" }),
    "deno run -A '/my stuff/panewright.mjs' init",
  ],
  "an executable on PATH": [
    start({ executable: "/usr/local/bin/panewright", isStandalone: true, env: { PATH: "/bin:/usr/local/bin" } }),
    "panewright init",
  ],
  "an executable that is not on PATH": [
    start({ executable: "/w/dist/panewright", isStandalone: true, env: { PATH: "/bin" } }),
    "/w/dist/panewright init",
  ],
  "an executable of another name": [
    start({ executable: "/bin/panewright-linux-x64", isStandalone: true, env: { PATH: "/bin" } }),
    "/bin/panewright-linux-x64 init",
  ],
  "a packed file": [
    start({
      main: "/h/.cache/panewright/1/panewright.mjs",
      cwd: "/w",
      env: { PANEWRIGHT_PACKED_FILE: "./panewright" },
    }),
    "/w/panewright init",
  ],
  "a packed file on PATH": [
    start({
      main: "/h/.cache/panewright/1/panewright.mjs",
      env: { PANEWRIGHT_PACKED_FILE: "/h/bin/panewright", PATH: "/h/bin:/bin" },
    }),
    "panewright init",
  ],
  "the sources, in a pane of a packed file": [
    start({ env: { PANEWRIGHT_PACKED_FILE: "/h/bin/panewright" } }),
    "deno run -A /src/panewright/main.ts init",
  ],
  "npx panewright": [
    start({ main: "/h/.npm/_npx/1/node_modules/panewright/panewright.mjs", env: NPX }),
    "npx panewright init",
  ],
  "a package of the project": [start({ main: "/w/node_modules/panewright/panewright.mjs" }), "npx panewright init"],
  "a package that is installed for all projects": [
    start({ main: "/usr/lib/node_modules/panewright/panewright.mjs", env: { PATH: "/usr/bin:/bin" } }),
    "panewright init",
  ],
};

for (const [form, [how, command]] of Object.entries(FORMS)) {
  Deno.test(`what to type next: ${form}`, () => assertEquals(commandInForm(["init"], how), command));
}

Deno.test("a task is offered again only where there are tasks", () => {
  assertEquals(taskInForm(["demo", "--keep"], start({ env: NPX })), "npx -y deno@2.9.6 task demo --keep");
  assertEquals(taskInForm(["demo"], start({ cwd: "/elsewhere" })), undefined);
  assertEquals(taskInForm(["demo"], start({ main: "/src/panewright/dist/panewright.mjs" })), undefined);
});
