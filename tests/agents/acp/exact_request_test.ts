import { assert, assertEquals } from "@std/assert";
import { exactRequestOf } from "../../../lib/agents/acp/exact_request.ts";
import { type CallPatch, readWholeCall } from "../../../lib/agents/acp/protocol/update.ts";
import type { AcpSubjectSource, AcpToolInput } from "../../../lib/agents/packs/pack.ts";
import { findRoleProvider, hasAcp } from "../../../lib/agents/mod.ts";

const source = (from: AcpSubjectSource["from"], ...path: readonly string[]): AcpSubjectSource => ({
  from,
  path,
  form: "text",
});
const RUN: AcpToolInput = { kind: "execute", as: "command", subject: source("input", "command") };

/** The kind, the subject and the folder of what a call is about. */
function read(call: Partial<CallPatch>, tools: readonly AcpToolInput[], known?: Partial<CallPatch>) {
  const { kind, subject, cwd } = exactRequestOf({ id: "t1", kind: "execute", ...call }, {
    ...{ id: "1", tools, workdir: "/w" },
    ...(known === undefined ? {} : { known: { id: "t1", kind: "execute", ...known } }),
  });
  return cwd === undefined ? [kind, subject] : [kind, subject, cwd];
}

Deno.test("a command is taken from the field that the pack names, word for word", () => {
  const command = "  echo 'a  b'\n\t\x1b[2J ";
  assertEquals(read({ title: "Say", input: { command } }, [RUN]), ["command", command]);
  assertEquals(read({ title: "rm -r /", input: { command: 7 } }, [RUN])[0], "other");
  assertEquals(read({ title: "rm -r /", input: { command: "" } }, [RUN])[0], "other");
  assertEquals(read({ title: "ls", input: JSON.parse('{"__proto__":{"command":"ls"}}') }, [RUN])[0], "other");
  assertEquals(read({ kind: "fetch", title: "x", input: { command: "ls" } }, [RUN]), ["other", 'x\n{"command":"ls"}']);
  const { input: _, ...bare } = { title: "ls", input: 1 };
  assertEquals(read(bare, [RUN]), ["other", "ls"]);
});

Deno.test("a title is a command only where the pack vouches for it", () => {
  const byTitle: AcpToolInput = { kind: "execute", as: "command", subject: source("title") };
  assertEquals(read({ title: "ls -la" }, [byTitle]), ["command", "ls -la"]);
  assertEquals(read({ title: "" }, [byTitle]), ["other", ""]);
});

Deno.test("the first tool that fits, and whose subject is there, counts", () => {
  const named: AcpToolInput = { name: "Bash", as: "command", subject: source("input", "script") };
  assertEquals(read({ name: "Bash", input: { script: "a" } }, [named, RUN]), ["command", "a"]);
  assertEquals(read({ name: "Sh", input: { command: "b" } }, [named, RUN]), ["command", "b"]);
  // Which of the two would run is not known.
  assertEquals(read({ name: "Bash", input: { script: "a", command: "b" } }, [named, RUN])[0], "other");
  assertEquals(read({ name: "Sh", input: { script: "a", command: "b" } }, [named, RUN])[0], "other");
  assertEquals(read({ name: "Bash", input: { command: "b" } }, [named, RUN]), ["command", "b"]);
});

Deno.test("an argv is what its shell would read", () => {
  const argv: AcpToolInput = { ...RUN, subject: { ...source("input", "argv"), form: "argv" } };
  const of = (...words: readonly unknown[]) => read({ input: { argv: words } }, [argv]);
  assertEquals(of("bash", "-lc", "ls | wc"), ["command", "ls | wc"]);
  assertEquals(of("/bin/sh", "-c", "ls"), ["command", "ls"]);
  // Not the system's shell: what it is given says nothing of what it does.
  assertEquals(of("./sh", "-c", "ls"), ["command", "./sh -c ls"]);
  assertEquals(of("/tmp/bin/bash", "-c", "ls"), ["command", "/tmp/bin/bash -c ls"]);
  assertEquals(of("echo", "a b"), ["command", "echo 'a b'"]);
  assertEquals(of("bash", "-c", "ls", "x"), ["command", "bash -c ls x"]);
  assertEquals(of()[0], "other");
  assertEquals(of("ls", 1)[0], "other");
});

Deno.test("files are those of the named field and of the diffs; a path that is two lines is none", () => {
  const edit: AcpToolInput = { kind: "edit", as: "file_edit", subject: source("input", "file") };
  assertEquals(read({ kind: "edit", input: { file: "/w/a" } }, [edit]), ["file_edit", "/w/a"]);
  assertEquals(read({ kind: "edit", input: { file: "/w/a" }, diffs: ["/etc/b", "/w/a"] }, [edit]), [
    "file_edit",
    "/w/a\n/etc/b",
  ]);
  assertEquals(read({ kind: "edit", input: { file: "/w/a\n/w/b" } }, [edit])[0], "other");
  assertEquals(read({ kind: "edit", input: { file: "/w/a" }, diffs: ["/w/b\n/w/c"] }, [edit])[0], "other");
  const byPlace: AcpToolInput = { kind: "edit", as: "file_edit", subject: source("locations") };
  assertEquals(read({ kind: "edit", locations: ["/w/a", "/w/b"] }, [byPlace]), ["file_edit", "/w/a\n/w/b"]);
  assertEquals(read({ kind: "edit", locations: [] }, [byPlace])[0], "other");
  assertEquals(read({ kind: "edit", locations: ["/w/a\r/w/b"] }, [byPlace])[0], "other");
});

Deno.test("security: a patch may move each file of which no diff is told: a person decides", () => {
  const codex = findRoleProvider("codex_acp");
  const tools = hasAcp(codex) ? codex.acp.tools ?? [] : [];
  const of = (locations: readonly string[], ...diffs: readonly string[]) =>
    read({ kind: "edit", locations }, tools, { kind: "edit", ...(diffs.length === 0 ? {} : { diffs }) });
  assertEquals(of(["/w/a"], "/w/a", "/w/a"), ["patch", "/w/a"]);
  assertEquals(of(["/w/a"], "/w/moved"), ["patch", "/w/a\n/w/moved"]);
  assertEquals(of(["/w/a"]), ["other", "/w/a"]);
  assertEquals(of(["/w/a", "/w/b"], "/w/c", "/w/c"), ["other", "/w/a\n/w/b\n/w/c"]);
});

Deno.test("of a call that only a person decides about all is told: its title, its input and its files", () => {
  const call = {
    kind: "edit",
    title: "Edit a.txt",
    input: { path: "/w/b" },
    locations: ["/w/b", "/w/c", "a.txt"],
  } as const;
  assertEquals(read(call, []), ["other", 'Edit a.txt\n{"path":"/w/b"}\n/w/c']);
});

Deno.test("security: a call of which something could not be read is put to a person", () => {
  assertEquals(read({ input: { command: "ls" } }, [RUN], {}), ["command", "ls"]);
  assertEquals(read({ input: { command: "ls" } }, [RUN], { hasUnread: true })[0], "other");
});

const PLACE = {
  content: [{ type: "content", content: { type: "text", text: "Look" } }],
  locations: [{ path: "/w/a" }],
};
const TOUCH = { rawInput: { command: "touch a" } };

/** Fields of a call that say more than the command that is read; each alone makes it a person's matter. */
const UNREAD: readonly Readonly<Record<string, unknown>>[] = [
  { content: [{ type: "diff", path: "/etc/passwd", oldText: "", newText: "x" }] },
  { content: [{ type: "diff", path: "/w/a", newText: "x" }] },
  { content: [{ type: "content", content: { type: "text", text: "rm -rf x" } }] },
  { content: [{ type: "content", content: { type: "image", data: "x", mimeType: "image/png" } }] },
  { content: [{ type: "content", content: { type: "text", text: "touch a", command: "rm" } }] },
  { content: [{ type: "patch", patch: "x" }] },
  { content: [{ type: "terminal", terminalId: "1", command: "rm" }] },
  { locations: [{ path: "/etc/passwd" }] },
  { locations: [{ path: "/w/b" }, { path: "/w/a" }] },
  { locations: [{ path: "/w/a", to: "/etc" }] },
  { rawInput: { command: "touch a", args: ["; rm -rf x"] } },
  { rawInput: { command: "touch a", stdin: "rm -rf x" } },
  { rawInput: { command: "touch a", env: { PATH: "/evil" } } },
  { rawInput: { command: "touch a", cwd: "/etc" } },
  { rawInput: { command: "touch a", additionalPermissions: { network: true } } },
  { rawInput: { command: "touch a", background: true } },
  { rawInput: { command: "touch a", commands: ["touch a", "rm b"] } },
  { rawOutput: { command: "rm" } },
  { _meta: { command: "rm -rf x" } },
  { command: "rm -rf x" },
  { args: ["; rm -rf x"] },
  { rawInput: { command: "touch a", __proto__x: 1 } },
];

Deno.test("security: a call with a field that the pack does not know is a person's matter, who sees it", () => {
  const of = (fields: Readonly<Record<string, unknown>>, tools = [RUN], known?: Readonly<Record<string, unknown>>) => {
    const read = (fields: Readonly<Record<string, unknown>>) =>
      readWholeCall({ toolCallId: "t1", kind: "execute", title: "touch a", ...fields })!;
    const options = { id: "1", tools, workdir: "/w", known: known && read({ ...TOUCH, ...known }) };
    return exactRequestOf(read({ ...TOUCH, ...fields }), options);
  };
  const said = [{}, { content: PLACE.content.slice(1), locations: PLACE.locations }, {
    rawInput: { command: "touch a", args: [], env: {}, background: false, timeout: null, again: "touch a" },
  }, { content: [{ type: "terminal", terminalId: "1" }] }];
  for (const fields of said) assertEquals(of(fields).kind, "command", JSON.stringify(fields));
  for (const fields of UNREAD) {
    const { kind, subject } = of(fields);
    assertEquals(kind, "other", JSON.stringify(fields));
    const [[, value] = []] = Object.entries(fields);
    const told =
      JSON.stringify(value).match(/\/etc\/passwd|rm(?: -rf x)?|evil|network|image|"to"|background|\/etc|patch|proto/)
        ?.[0] ?? "";
    assert(subject.includes(told.replaceAll('"', "")), `${subject} without ${told}`);
  }
  // What an update told of the call before counts as well.
  for (const fields of [{ rawInput: { command: "touch a", args: ["x"] } }, { command: "rm" }, UNREAD[0]!]) {
    assertEquals(of({}, [RUN], fields).kind, "other", JSON.stringify(fields));
  }
  const described = { ...RUN, beside: ["description", "_meta.toolName"] };
  const spoken = {
    rawInput: { command: "touch a", description: "Look" },
    content: PLACE.content,
    _meta: { toolName: "x" },
  };
  assertEquals(of(spoken, [described]).kind, "command");
  assertEquals(of({ ...spoken, rawInput: { command: "touch a", description: "Other" } }, [described]).kind, "other");
});

Deno.test("security: files of a change that stand anywhere in its call are among its subject, or a person's matter", () => {
  const edit: AcpToolInput = { kind: "edit", as: "file_edit", subject: source("input", "file"), beside: ["text"] };
  const input = { file: "/w/a", text: "x" };
  assertEquals(read({ kind: "edit", input, locations: ["/w/a"], diffs: ["/w/a"] }, [edit]), ["file_edit", "/w/a"]);
  assertEquals(read({ kind: "edit", input, locations: ["/etc/b"] }, [edit]), ["file_edit", "/w/a\n/etc/b"]);
  assertEquals(read({ kind: "edit", input: { ...input, to: "/etc/b" } }, [edit])[0], "other");
  assertEquals(read({ kind: "edit", input: { ...input, files: ["a", "/w/a"] } }, [edit]), ["file_edit", "/w/a"]);
  assertEquals(read({ kind: "edit", input: { ...input, files: ["a", "/w/b"] } }, [edit])[0], "other");
});

Deno.test("the folder is the request's own, else that of the call's updates, if they are about the same", () => {
  const placed: AcpToolInput = { ...RUN, cwd: source("input", "cwd") };
  assertEquals(read({ input: { command: "ls", cwd: "/x" } }, [placed]), ["command", "ls", "/x"]);
  assertEquals(read({ input: { command: "ls", cwd: "sub" } }, [placed]), ["command", "ls", "/w/sub"]);
  assertEquals(read({ input: { command: "ls" } }, [placed]), ["command", "ls"]);
  assertEquals(read({ input: { command: "ls" } }, [placed], { input: {} }), ["command", "ls"]);
  const whole = { input: { command: "ls", cwd: "/w/sub" } };
  assertEquals(read({ input: { command: "ls" } }, [placed], whole), ["command", "ls", "/w/sub"]);
  assertEquals(read({ input: { command: "ls" } }, [placed], { input: { cwd: "/w" } })[0], "other");
  assertEquals(read({ input: { command: "rm x" } }, [placed], whole)[0], "other");
});

Deno.test("the folder may stand in the call's content: what does not tell it is not understood", () => {
  const gemini = findRoleProvider("gemini");
  const tools = hasAcp(gemini) ? gemini.acp.tools ?? [] : [];
  const of = (text: string) => read({ title: "ls", text }, tools);
  assertEquals(of("[current working directory /w] (List)"), ["command", "ls", "/w"]);
  assertEquals(of("[in sub] (List)"), ["command", "ls", "/w/sub"]);
  assertEquals(of("(List) [in sub]")[0], "other");
  assertEquals(of("")[0], "other");
});
