import { assertEquals } from "@std/assert";
import { newInspection } from "../../lib/policy/inspect/inspection.ts";
import { inspectShellText } from "../../lib/policy/inspect/shell_text.ts";

/** In which folders the command `here` may run, `?` where that is not known. */
function here(text: string): string {
  const inspection = newInspection("command", { workdir: "/w" });
  inspectShellText(text, inspection);
  const { commands } = inspection;
  const found = commands.find(({ layers }) => layers.at(-1)?.program === "here");
  return found?.folders?.toSorted().join(" ") ?? "?";
}

Deno.test("a folder is followed through cd, and both are possible where the cd may have failed", () => {
  assertEquals(here("here"), "/w");
  assertEquals(here("cd a && here"), "/w/a");
  assertEquals(here("cd a; here"), "/w /w/a");
  assertEquals(here("cd a\nhere"), "/w /w/a");
  assertEquals(here("cd a && cd b && here"), "/w/a/b");
  assertEquals(here("cd a && x; here"), "/w /w/a");
  assertEquals(here("cd a || here"), "/w /w/a");
  assertEquals(here("cd /x && here"), "/x");
  assertEquals(here("cd -P -- a && here"), "/w/a");
  assertEquals(here("command cd a && here"), "/w/a");
});

Deno.test("what a subshell does to its folder does not reach its parent", () => {
  assertEquals(here("(cd a && here)"), "/w/a");
  assertEquals(here("(cd a); here"), "/w");
  assertEquals(here("echo $(cd a); here"), "/w");
  assertEquals(here("cd a && (here)"), "/w /w/a");
  assertEquals(here("bash -c 'cd a'; here"), "/w");
  assertEquals(here("bash -c 'cd a && here'"), "/w/a");
  assertEquals(here("env cd a; here"), "/w");
});

Deno.test("a folder that cannot be followed is not known", () => {
  assertEquals(here("cd $x && here"), "?");
  assertEquals(here("cd && here"), "?");
  assertEquals(here("cd - && here"), "?");
  assertEquals(here("pushd a && here"), "?");
  assertEquals(here("for i in 1; do here; cd a; done"), "?");
  assertEquals(here("eval 'cd a'; here"), "?");
  assertEquals(here("CDPATH=/ cd a && here"), "?");
  assertEquals(here("cd a; cd b; cd c; cd d; cd e; here"), "?");
});
