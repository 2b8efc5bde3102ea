import { assertEquals } from "@std/assert";
import { createViewKeeper, type KeepViewOptions, OVERVIEW } from "../../../lib/cli/attach/keep_view.ts";
import { REVIEW_FOLDS, type ReviewFact } from "../../../lib/journal/loop/facts.ts";
import { type BuiltInRole, ROLES } from "../../../lib/base/roles.ts";
import type { RunOverview } from "../../../lib/run/overview.ts";
import { initialProgress } from "../../../lib/journal/progress.ts";
import { runFolderAt } from "../../../lib/run/run_folder.ts";
import type { Label } from "../../../lib/tmux/session_view.ts";
import { dialogWaiting, reviewStarted } from "../../support/run_folders.ts";

const ID = "20261120-072605-3fa9";
const NOON = new Date("2026-11-20T12:00:00Z");

function ready(role: BuiltInRole): readonly ReviewFact[] {
  const terminalId = `%${ROLES.indexOf(role) + 1}`;
  return [
    { type: "agent_starting", role, provider: "codex" },
    { type: "agent_ready", role, terminalId, seconds: 1, pid: 7, launchedAtMs: 0 },
  ];
}

function turn(role: BuiltInRole): readonly ReviewFact[] {
  const turnId = `r1-${role}-c1`;
  return [
    { type: "turn_started", turnId, role, round: 1, cycle: 1, promptBytes: 9 },
    { type: "message_sent", turnId, role, what: "prompt" },
    { type: "status_changed", turnId, role, status: "processing" },
  ];
}

/** A view without tmux: what it was told, and windows that a person may change. */
function stage(options: Partial<Pick<KeepViewOptions, "first">> = {}) {
  const acts: string[] = [];
  const labels = new Map<string, string>();
  const windows = new Map([[OVERVIEW, "@0"]]);
  let progress = initialProgress("run");
  const tmux = {
    shown: 0,
    panes: new Map<string, string>(),
    viewers: new Map<string, string>(),
    isOpen: true,
    size: "80x24",
    tile: { columns: 20, rows: 3 },
  };
  const look = () => ({
    shown: tmux.shown,
    windows,
    tiles: ROLES.map((_, index) => ({ paneId: `%1${index}`, ...tmux.tile })),
    terminal: { client: "/dev/pts/9", size: tmux.size },
    panes: tmux.panes,
    viewers: tmux.viewers,
  });
  const act = (text: string) => Promise.resolve(void acts.push(text));
  const view: KeepViewOptions["view"] = {
    look: () => Promise.resolve(tmux.isOpen ? look() : undefined),
    link(id, index) {
      windows.set(index, id);
      return act(`link ${index}`);
    },
    select(index) {
      tmux.shown = index;
      return act(`select ${index}`);
    },
    bind: (key, index) => act(`bind ${key} ${index}`),
    moveTo: (place) => act(`move to ${place}`),
    layOut: () => act("lay out"),
    draw: (tile, rows) => act(`draw ${tile.paneId}: ${rows}`),
    label(all: readonly Label[]) {
      for (const { on, name, text } of all) labels.set(`${name} ${Object.values(on)}`, text);
      return Promise.resolve();
    },
  };
  const client: KeepViewOptions["client"] = {
    run: (command) =>
      Promise.resolve({
        code: 0,
        stdout: `screen of ${command.at(-1)}\n`,
        stderr: "",
        timedOut: false,
        truncated: false,
      }),
  };
  let executed = true;
  const readRun = (): Promise<RunOverview> =>
    Promise.resolve({
      folder: runFolderAt("/w", ID),
      condition: executed ? "running" : "passed",
      executed,
      owner: undefined,
      progress,
      problem: undefined,
      question: undefined,
      answered: false,
      questions: [],
    });
  const keeper = createViewKeeper({
    view,
    client,
    readRun,
    first: undefined,
    wallClock: () => NOON,
    ...options,
  });
  return {
    tmux,
    labels,
    /** The next update after facts: whether there is something to be seen, and what was done. */
    async update(...facts: readonly ReviewFact[]) {
      for (const fact of facts) {
        if (fact.type === "agent_ready") tmux.panes.set(fact.terminalId, `@${fact.terminalId.slice(1)}`);
        progress = REVIEW_FOLDS.progress(progress, { ...fact, at: NOON.toISOString() });
      }
      acts.length = 0;
      const isThere = await keeper.update();
      return { isThere, acts: [...acts] };
    },
    end: () => executed = false,
  };
}

Deno.test("a role whose agent has no pane has the window that shows what it does, in the view and in its tile", async () => {
  const { tmux, labels, update } = stage();
  const overAcp = ready("programmer").map((fact) =>
    fact.type === "agent_starting" ? { ...fact, protocol: "acp" } as const : fact
  );
  tmux.panes.set("%7", "@7");
  tmux.viewers.set("programmer", "%7");
  await update(reviewStarted("/w", ID), ...ready("analyst"), ...overAcp, ...turn("programmer"));
  tmux.panes.delete("%3");
  assertEquals((await update()).acts, []);
  assertEquals([tmux.shown, labels.get("window 3")], [3, "programmer: working, for 0 s"]);
  tmux.shown = OVERVIEW;
  assertEquals((await update()).acts.slice(1, 4), ["draw %10: screen of %1", "draw %11: ", "draw %12: screen of %7"]);
});

const TEAM = [reviewStarted("/w", ID), ...ROLES.flatMap(ready)];

Deno.test("a view follows the role at work; a person who looks elsewhere is left there until they are back", async () => {
  const { tmux, labels, update } = stage();
  const links = [1, 2, 3, 4, 5].map((index) => `link ${index}`);
  assertEquals((await update(...TEAM, ...turn("analyst"))).acts, [...links, "select 1", "bind f 1"]);
  assertEquals(labels.get("window 1"), "analyst: working, for 0 s");
  assertEquals(labels.get("turn true"), "1");
  assertEquals((await update(...turn("programmer"))).acts, ["select 3", "bind f 3"]);
  tmux.shown = 2;
  assertEquals((await update()).acts, []);
  assertEquals([labels.get("away true"), labels.get("window 2")], ["1", "analyst_review: not its turn"]);
  assertEquals((await update(...turn("programmer_review"))).acts, ["bind f 4"]);
  tmux.shown = 4;
  await update();
  assertEquals(labels.get("away true"), "");
  assertEquals((await update(...turn("tester"))).acts, ["select 5", "bind f 5"]);
  assertEquals((await update({ type: "test_command_started", round: 1, command: "true" })).acts, []);
});

Deno.test("a run with roles of its own has a window for each of them, in the order in which they work", async () => {
  const { labels, update } = stage();
  const roles = ["designer", "programmer", "security"];
  const started = { ...reviewStarted("/w", ID), roles } as ReviewFact;
  const agents = roles.flatMap((role, index): readonly ReviewFact[] => [
    { type: "agent_starting", role, provider: "codex" },
    { type: "agent_ready", role, terminalId: `%${index + 1}`, seconds: 1, pid: 7, launchedAtMs: 0 },
  ]);
  const { acts } = await update(started, ...agents, ...turn("programmer"));
  assertEquals(acts, ["link 1", "link 2", "link 3", "select 2", "bind f 2"]);
  assertEquals([labels.get("window 1"), labels.get("window 3")], ["designer: not its turn", "security: not its turn"]);
});

Deno.test("in a narrow terminal the role is told, and the run only where there is room beside it", async () => {
  const { tmux, labels, update } = stage();
  const run = "round 1 of 8, cycle 1 · run 0 s";
  const told = async (columns: number) => {
    tmux.size = `${columns}x24`;
    await update();
    return labels.get("view true");
  };
  await update(...TEAM, ...turn("programmer"));
  const width = "programmer: working, for 0 s".length + run.length + 4;
  assertEquals([await told(width), await told(width - 1)], [run, ""]);
  // Another role has another text.
  tmux.shown = 4;
  assertEquals([await told(width + 3), await told(width + 2)], [run, ""]);
  assertEquals(labels.get("window 4"), "programmer_review: not its turn");
});

Deno.test("a view of one role stays with it, also when another is at work", async () => {
  const { tmux, update } = stage({ first: 3 });
  assertEquals((await update(...TEAM, ...turn("analyst"))).acts.slice(5), ["select 3", "bind f 1"]);
  assertEquals((await update(...turn("programmer"))).acts, ["bind f 3"]);
  assertEquals((await update(...turn("tester"))).acts, ["bind f 5"]);
  assertEquals(tmux.shown, 3);
});

Deno.test("a dialog is shown to its end, again after the terminal has changed its size, and the cursor after it", async () => {
  const { tmux, update } = stage();
  await update(...TEAM, ...turn("programmer"));
  assertEquals((await update(dialogWaiting(ID, "q1"))).acts, ["move to end"]);
  assertEquals((await update()).acts, [], "a person may move it");
  tmux.size = "60x15";
  assertEquals((await update()).acts, ["move to end"]);
  const closed = {
    type: "dialog_closed",
    turnId: "r1-programmer-c1",
    role: "programmer",
    question: "q1",
    seconds: 3,
  } as const;
  assertEquals((await update(closed)).acts, ["move to cursor"]);
});

Deno.test("tiles are drawn while they are shown, and laid out when they have another size", async () => {
  const { tmux, labels, update } = stage({ first: OVERVIEW });
  const drawn = (await update(...TEAM.slice(0, 3), ...turn("analyst"))).acts;
  assertEquals(drawn.slice(1, 5), ["select 0", "bind f 1", "lay out", "draw %10: screen of %1"]);
  assertEquals(drawn.at(-1), "draw %14: ");
  assertEquals([labels.get("tile %10"), labels.get("tile %14")], [
    "analyst: working, for 0 s",
    "tester: not started yet",
  ]);
  assertEquals((await update()).acts.includes("lay out"), false);
  tmux.tile = { columns: 30, rows: 4 };
  assertEquals((await update()).acts.includes("lay out"), true);
  tmux.shown = 1;
  assertEquals((await update()).acts, []);
});

Deno.test("a window that came in place of another is linked anew", async () => {
  const { tmux, update } = stage();
  await update(...TEAM, ...turn("analyst"));
  tmux.panes.set("%1", "@77");
  assertEquals((await update()).acts, ["link 1"]);
});

Deno.test("a view is over when it was closed, or the run has ended and its panes are gone; panes that stay are shown", async () => {
  const { tmux, update, end } = stage();
  assertEquals((await update(...TEAM)).isThere, true);
  end();
  assertEquals((await update()).isThere, true);
  tmux.panes.clear();
  assertEquals((await update()).isThere, false);
  const closed = stage();
  closed.tmux.isOpen = false;
  assertEquals((await closed.update(...TEAM)).isThere, false);
});
