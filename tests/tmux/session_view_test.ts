import { assertEquals, assertMatch, assertRejects, assertStringIncludes } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { createTmuxClient, tmuxArguments } from "../../lib/tmux/plain_client.ts";
import { isServerRunning, killServer } from "../../lib/tmux/server.ts";
import { openSessionView, type SessionView } from "../../lib/tmux/session_view.ts";
import { cleanEnv, tmuxSandbox, until } from "./support.ts";

const VIEW = { columns: 80, rows: 24, tiles: 5, tilesName: "overview" } as const;

/** A server with a session of two windows, a view of it, and a person's terminal of 80×24 that shows the view. */
async function shownView(
  test: (
    stage: {
      readonly view: SessionView;
      readonly screen: () => Promise<string>;
      readonly tmux: (...command: readonly [string, ...string[]]) => Promise<string>;
      /** Gives the person's terminal that many columns. */
      readonly resize: (columns: number) => Promise<void>;
    },
  ) => Promise<void>,
): Promise<void> {
  await using sandbox = await tmuxSandbox();
  await using session = await sandbox.open({ name: "work", cols: 60, rows: 12 });
  const tmux = async (...command: readonly [string, ...string[]]) => {
    const { code, stdout, stderr } = await sandbox.client.run(command);
    assertEquals(code, 0, stderr);
    return stdout.trim();
  };
  for (const name of ["one", "two"]) {
    await session.openPane({ name, argv: ["sh", "-c", `echo this is ${name}; exec sleep 600`], cwd: sandbox.home });
  }
  await using view = await openSessionView(sandbox.client, { ...VIEW, source: "work" });
  const windows = await tmux("list-windows", "-t", "=work:", "-F", "#{window_id}");
  for (const [index, id] of windows.split("\n").entries()) await view.link(id, index + 1);
  const person = createTmuxClient({ socket: `${sandbox.client.socket}-person`, env: cleanEnv(sandbox.home) });
  try {
    const attach = tmuxArguments([view.attachCommand({ readOnly: true })]);
    const argv = ["env", "-u", "TMUX", "tmux", "-u", "-L", sandbox.client.socket, ...attach];
    await person.run(["new-session", "-d", "-x", "80", "-y", "24", "--", "sh", "-c", '"$@"; sleep 600', "sh", ...argv]);
    const screen = async () => (await person.run(["capture-pane", "-p"])).stdout;
    await until(screen, (text) => text.includes(" 0 overview "));
    const resize = async (columns: number) => void await person.run(["resize-window", "-x", String(columns)]);
    await test({ view, screen, tmux, resize });
  } finally {
    await killServer(person);
  }
}

Deno.test("a view of a session: its windows, tiles of the terminal's size, and a window of its own in front", async () => {
  await shownView(async ({ view, screen, tmux }) => {
    const look = await until(() => view.look(), (one) => one?.terminal !== undefined);
    assertEquals([look?.shown, look?.terminal?.size, [...look!.windows.keys()]], [0, "80x24", [0, 1, 2]]);
    const tiles = look!.tiles.map(({ columns }) => columns);
    assertEquals([tiles.length, tiles[0]! + tiles[1]! + 1, tiles[2]! + tiles[3]! + 1, tiles[4]], [5, 80, 80, 80]);
    assertEquals(await tmux("display-message", "-p", "-t", "=work:", "#{window_name}"), "one");
    await view.select(2);
    assertStringIncludes(await until(screen, (text) => text.includes("this is")), "this is two");
    assertEquals(await tmux("display-message", "-p", "-t", "=work:", "#{window_name}"), "one");
    const sizes = await tmux("list-windows", "-t", "=work:", "-F", "#{window_width}x#{window_height}");
    assertEquals(sizes.split("\n"), ["60x12", "60x12"]);
  });
});

Deno.test("texts of a view are shown as they are: no style and no format in them acts, none is cut", async () => {
  await shownView(async ({ view, screen }) => {
    const text = "programmer_review: #[fg=red]#{pane_id} %H ## is its name";
    await view.label([
      { on: { window: 0 }, name: "window", text },
      { on: { session: true }, name: "view", text: "round 1" },
    ]);
    assertStringIncludes(await until(screen, (rows) => rows.includes("round 1")), ` ${text} `);
  });
});

Deno.test("in a narrow terminal the window that is shown is named, and how one leaves", async () => {
  await shownView(async ({ view, screen, tmux, resize }) => {
    const bar = async () => (await screen()).trimEnd().split("\n").at(-1) ?? "";
    const shows = async (text: string) => (await until(bar, (row) => row.includes(text))).replaceAll(/ +/g, " ");
    const long = "one".repeat(13);
    await tmux("rename-window", "-t", "=work:one", long);
    assertEquals(await shows(long), ` 0 overview 1 ${long} 2 two C-b d leaves`);
    await resize(64);
    assertMatch(await shows(">"), /^ 0 overview 1 one.*> C-b d leaves$/);
    await view.select(2);
    assertMatch(await shows("<"), /^<.* 2 two C-b d leaves$/);
  });
});

Deno.test("a tile shows rows up to its last column, and nothing of what it showed before", async () => {
  await shownView(async ({ view, screen }) => {
    const tile = (await view.look())!.tiles[0]!;
    const full = "0123456789".repeat(9).slice(0, tile.columns);
    await view.draw(tile, Array(tile.rows).fill("x".repeat(tile.columns)));
    await until(screen, (rows) => rows.includes("xxx"));
    await view.draw(tile, ["\x1b[44mblue", full]);
    const rows = (await until(screen, (text) => !text.includes("xxx") && text.includes(full))).split("\n");
    assertEquals(rows.slice(1, 3).map((row) => row.slice(0, tile.columns).trimEnd()), ["blue", full]);
    assertEquals(rows[3]?.slice(0, tile.columns).trim(), "");
  });
});

Deno.test("a view is closed while a terminal shows it: the terminal gets free, and what it showed stays", async () => {
  await shownView(async ({ view, screen, tmux }) => {
    await until(() => view.look(), (one) => one?.terminal !== undefined);
    await view[Symbol.asyncDispose]();
    await until(screen, (text) => text.includes("[detached (from session"));
    assertEquals(await tmux("list-sessions", "-F", "#{session_name} #{session_windows}"), "work 2");
  });
});

Deno.test("a window that is linked in place of another gets the text that the other had", async () => {
  await shownView(async ({ view, screen, tmux }) => {
    const labels = [{ on: { window: 1 }, name: "window", text: "analyst: not its turn" }] as const;
    await view.label(labels);
    await view.select(1);
    await until(screen, (text) => text.includes("analyst: not its turn"));
    await view.link((await tmux("list-windows", "-t", "=work:", "-F", "#{window_id}")).split("\n")[1]!, 1);
    await until(screen, (text) => text.includes("this is two") && !text.includes("not its turn"));
    await view.label(labels);
    await until(screen, (text) => text.includes("analyst: not its turn"));
  });
});

Deno.test("a view is opened for the smallest of terminals, and not where the server is gone", async () => {
  await using sandbox = await tmuxSandbox();
  await assertRejects(() => openSessionView(sandbox.client, { ...VIEW, source: "work" }), RuntimeError, "view of");
  assertEquals(await isServerRunning(sandbox.client), false);
  await using _session = await sandbox.open({ name: "work" });
  await using view = await openSessionView(sandbox.client, { ...VIEW, source: "work", columns: 10, rows: 3 });
  assertEquals((await view.look())?.tiles.length, 5);
});
