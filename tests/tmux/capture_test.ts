import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { RuntimeError } from "../../lib/base/errors.ts";
import { captureScreen, captureScreenPartly, parseCapture } from "../../lib/tmux/capture.ts";
import { StyleNotCapturedError } from "../../lib/screen/partly_styled.ts";
import type { PaneRef } from "../../lib/tmux/client.ts";
import type { Screen } from "../../lib/screen/screen.ts";
import { screenText, type TmuxSandbox, tmuxSandbox, until } from "./support.ts";

async function showing(sandbox: TmuxSandbox, script: string, look: (pane: PaneRef) => Promise<void>): Promise<void> {
  await using session = await sandbox.open({ cols: 40, rows: 10 });
  const pane = await session.openPane({ name: "a", argv: ["bash", "-c", `${script}; sleep 1000`], cwd: sandbox.home });
  await look(pane);
}

Deno.test("a capture holds styles, title, cursor, sizes and the alternate screen's flag", async () => {
  await using sandbox = await tmuxSandbox();
  const script = String
    .raw`printf '\033[?1049h\033[2J\033[H\033]0;⠋ a: #{pane_id} | b %%1\007one\r\n\033[1m›\033[0m two\033[?25l'`;
  await showing(sandbox, script, async (pane) => {
    const screen = await until(() => captureScreen(sandbox.client, pane), (one) => screenText(one).includes("two"));
    const { title, cursor, cursorVisible, alternate, dead, cols, height } = screen;
    assertEquals(
      { title, cursor, cursorVisible, alternate, dead, cols, height },
      {
        title: "⠋ a: #{pane_id} | b %1",
        cursor: [5, 1],
        cursorVisible: false,
        alternate: true,
        dead: false,
        cols: 40,
        height: 10,
      },
    );
    assertEquals(screen.rows.length, 10);
    assertEquals(screen.rows[1]?.text, "› two");
    assertEquals(screen.rows[1]?.spans[0]?.style.bold, true);
  });
});

Deno.test("the name of the foreground program cannot break a capture, whatever it holds", async () => {
  await using sandbox = await tmuxSandbox();
  const script = String.raw`printf 'on the screen'; exec -a $'x\ny é' sleep 1000`;
  await showing(sandbox, script, async (pane) => {
    const screen = await until(
      () => captureScreen(sandbox.client, pane),
      (one) => one.command?.startsWith("x") === true,
    );
    assertEquals(screen.command, "x?y");
    assertEquals(screenText(screen), "on the screen");
  });
});

Deno.test("wrapped rows are joined on request, and then the cursor's row is not claimed to be known", async () => {
  await using sandbox = await tmuxSandbox();
  await showing(sandbox, `printf 'a%.0s' {1..60}; echo; echo last`, async (pane) => {
    const look = (joinWrapped: boolean): Promise<Screen> => captureScreen(sandbox.client, pane, { joinWrapped });
    const split = await until(() => look(false), (one) => screenText(one).includes("last"));
    assertEquals([split.rows[0]?.text.length, split.rows[1]?.text.length, split.cursor], [40, 20, [0, 3]]);
    const joined = await look(true);
    assertEquals([joined.rows[0]?.text.length, joined.rows[1]?.text, joined.cursor], [60, "last", undefined]);
  });
});

Deno.test("scrollback comes before the visible rows on request", async () => {
  await using sandbox = await tmuxSandbox();
  await showing(sandbox, "seq 30", async (pane) => {
    await until(() => captureScreen(sandbox.client, pane), (one) => screenText(one).endsWith("30"));
    const screen = await captureScreen(sandbox.client, pane, { scrollbackRows: 15 });
    assertEquals(screen.rows.filter((row) => row.text !== "").at(0)?.text, "7");
    assertEquals(screen.rows.filter((row) => row.text !== "").length, 24);
  });
});

Deno.test("a pane that does not exist is an error that names it", async () => {
  await using sandbox = await tmuxSandbox();
  await assertRejects(() => captureScreen(sandbox.client, { paneId: "%7" }), RuntimeError, "Cannot read pane %7");
  await using _session = await sandbox.open();
  await assertRejects(() => captureScreen(sandbox.client, { paneId: "%7" }), RuntimeError, "can't find pane");
});

Deno.test("an answer that is not tmux's is refused", () => {
  assertThrows(() => parseCapture("hello\nworld\n"), RuntimeError, '"hello"');
  assertThrows(() => parseCapture(""), RuntimeError, "Cannot read a pane");
});

Deno.test("the styles of some rows are those that a capture of all styles has, and the others are not known", async () => {
  await using sandbox = await tmuxSandbox();
  const script = String
    .raw`printf '\033[1;44mone\r\ntwo\033[0m\r\nthree\033[2m\r\nfour\r\n\033[0m\033]0;title\007last'`;
  await showing(sandbox, script, async (pane) => {
    const whole = await until(() => captureScreen(sandbox.client, pane), (one) => screenText(one).includes("last"));
    for (const joinWrapped of [false, true]) {
      const styledRows = [{ first: 1, last: 1 }, { first: 3, last: 4 }];
      const partly = await captureScreenPartly(sandbox.client, pane, { joinWrapped, styledRows, withCommand: true });
      assertEquals(partly?.rows.map(({ text }) => text), whole.rows.map(({ text }) => text));
      for (const row of [1, 3, 4]) assertEquals(partly?.rows[row]?.spans, whole.rows[row]?.spans);
      for (const row of [0, 2, 5]) assertThrows(() => partly?.rows[row]?.spans, StyleNotCapturedError, `row ${row}`);
      const { rows: _rows, ...rest } = whole;
      const { rows: _partly, ...partlyRest } = partly ?? whole;
      assertEquals(partlyRest, rest);
      const { command: _command, ...restWithoutCommand } = rest;
      const nameless = await captureScreenPartly(sandbox.client, pane, { joinWrapped, styledRows, withCommand: false });
      const { rows: _nameless, ...namelessRest } = nameless ?? whole;
      assertEquals(namelessRest, restWithoutCommand);
    }
  });
});

Deno.test("some rows cannot be had alone where they are joined, have no style, or are none of the pane's", async () => {
  await using sandbox = await tmuxSandbox();
  await showing(sandbox, `printf '\\033[1ma%.0s' {1..60}; printf '\\033[0m\\nlast'`, async (pane) => {
    const look = (first: number, last: number, joinWrapped = false) =>
      captureScreenPartly(sandbox.client, pane, { joinWrapped, styledRows: [{ first, last }], withCommand: false });
    await until(() => captureScreen(sandbox.client, pane), (one) => screenText(one).includes("last"));
    assertEquals((await look(1, 2))?.rows[1]?.spans[0]?.style.bold, true);
    assertEquals(await look(1, 2, true), undefined, "joined");
    assertEquals(await look(2, 5), undefined, "no style");
    for (const [first, last] of [[10, 10], [9, 10], [50, 60]] as const) {
      assertEquals(await look(first, last), undefined, `rows ${first} to ${last} of 10`);
    }
  });
});

Deno.test("a pane that is gone cannot be read partly either", async () => {
  await using sandbox = await tmuxSandbox();
  await using _session = await sandbox.open();
  const styledRows = [{ first: 0, last: 0 }];
  await assertRejects(
    () => captureScreenPartly(sandbox.client, { paneId: "%7" }, { styledRows, withCommand: true }),
    RuntimeError,
    "%7",
  );
});
