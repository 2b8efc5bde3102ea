import { assertEquals } from "@std/assert";
import { isSameLane, type Lane } from "../../lib/journal/exec/lane.ts";
import type { ExecState, LaneState } from "../../lib/journal/exec/state.ts";
import type { LaneTask } from "../../lib/lanes/lane_tasks.ts";
import { dueLanes } from "../../lib/lanes/schedule.ts";
import { createRandom } from "../support/random.ts";

/** What a task takes, in steps of a clock of our own, and the tasks that come before it. */
type Graph = Readonly<Record<string, { readonly takes: number; readonly needs?: readonly string[] }>>;

/** Plays a graph by what is said to be due, and counts the steps; a merge takes none. */
function stepsOf(graph: Graph, parallel: number): number {
  const tasks = Object.entries(graph).map(([file, { needs = [] }], index): LaneTask => ({
    ...{ file, needs: needs.map((file) => ({ file })), number: index + 1, pipeline: "main", text: file, writes: [] },
  }));
  let state: Pick<ExecState, "lanes" | "passed" | "failed"> = { lanes: [], passed: [], failed: [] };
  let running: readonly { readonly lane: Lane; readonly until: number }[] = [];
  const stage = (of: Lane, to: LaneState["stage"]) => {
    const lanes = (state.lanes ?? []).map((lane) => isSameLane(lane, of) ? { ...lane, stage: to } : lane);
    state = { ...state, lanes };
  };
  for (let now = 0;; now++) {
    for (const { lane } of running.filter(({ until }) => until === now)) stage(lane, "passed");
    running = running.filter(({ until }) => until > now);
    for (let isMore = true; isMore;) {
      const underWay = { running: running.map(({ lane }) => lane), asking: [], unanswered: [], isMerging: false };
      const actions = dueLanes(state, {
        tasks,
        underWay,
        width: { parallel, attempts: 1, choose: "smallest", keepGoing: false },
      });
      for (const action of actions) {
        if (action.do === "land") {
          for (const [lane] of action.tasks) {
            stage(lane, "landed");
            state = { ...state, passed: [...state.passed, lane.file] };
          }
        } else if (action.do === "begin") {
          const { lane, task: { file, number } } = action;
          const begun = {
            number,
            file,
            purpose: "task",
            workspace: file,
            workdir: "",
            base: "",
            stage: "working",
          } as const;
          state = { ...state, lanes: [...state.lanes ?? [], begun] };
          running = [...running, { lane, until: now + (graph[file]?.takes ?? 0) }];
          assertEquals(running.length <= parallel, true);
        }
      }
      isMore = actions.some((action) => action.do === "land");
    }
    if (running.length === 0) {
      assertEquals(state.passed.length, tasks.length);
      return now;
    }
  }
}

Deno.test("attempts of a role begin once what they have in common is there, each with that, and none where that failed", () => {
  const task: LaneTask = { file: "t", needs: [], number: 1, pipeline: "main", text: "t", writes: [] };
  const due = (lanes: readonly LaneState[], failed: readonly string[] = []) =>
    dueLanes({ lanes, failed }, {
      tasks: [task],
      underWay: { running: [], asking: [], unanswered: [], isMerging: false },
      width: { parallel: 4, attempts: 2, choose: "smallest", keepGoing: false, hasLead: true },
    });
  const lead: LaneState = {
    ...{ number: 1, file: "t", purpose: "lead", workspace: "t", workdir: "/t", base: "b", commit: "c", run: "r" },
    stage: "led",
  };
  assertEquals(due([]), [{ do: "begin", task, lane: { file: "t" }, purpose: "lead", led: undefined }]);
  assertEquals(due([{ ...lead, stage: "working" }]), [{ do: "continue", lane: { ...lead, stage: "working" } }]);
  assertEquals(due([{ ...lead, stage: "failed" }], ["t"]), []);
  const attempt = (number: number) => ({ file: "t", attempt: number });
  const begins = [1, 2].map((number) =>
    ({ do: "begin", task, lane: attempt(number), purpose: "task", led: lead }) as const
  );
  assertEquals(due([lead]), begins);
  const first: LaneState = { ...lead, ...attempt(1), purpose: "task", stage: "passed" };
  assertEquals(due([lead, first]), begins.slice(1));
  // A judge is called as what leads is.
  const second: LaneState = { ...first, ...attempt(2), stage: "failed" };
  const judge: LaneState = { ...lead, purpose: "judge", stage: "lost" };
  assertEquals(due([first, second, judge]), [{ do: "land", tasks: [[first]] }]);
});

function criticalPath(graph: Graph): number {
  const upTo = (name: string): number => {
    const { takes, needs = [] } = graph[name] ?? { takes: 0 };
    return takes + Math.max(0, ...needs.map(upTo));
  };
  return Math.max(...Object.keys(graph).map(upTo));
}

Deno.test("a graph of 12 tasks, four at a time, takes at most 1.15 times its critical path, or a fourth of its work", () => {
  const graph: Graph = {
    ...{ schema: { takes: 10 }, parser: { takes: 20, needs: ["schema"] }, printer: { takes: 15, needs: ["schema"] } },
    ...{ cli: { takes: 25, needs: ["parser"] }, api: { takes: 20, needs: ["parser"] }, docs: { takes: 30 } },
    ...{
      icons: { takes: 12 },
      tests: { takes: 18, needs: ["parser", "printer"] },
      bench: { takes: 14, needs: ["api"] },
    },
    ...{ page: { takes: 22, needs: ["icons", "schema"] }, site: { takes: 16, needs: ["docs", "page"] } },
    release: { takes: 5, needs: ["cli", "tests"] },
  };
  const work = Object.values(graph).reduce((sum, { takes }) => sum + takes, 0);
  const least = Math.max(criticalPath(graph), work / 4);
  assertEquals(stepsOf(graph, 4) <= 1.15 * least, true, `${stepsOf(graph, 4)} steps; at least ${least}`);
});

Deno.test("whatever the graph, no place stays free while a task is due: twice the least at most, and all of it is done", () => {
  for (let seed = 0; seed < 300; seed++) {
    const random = createRandom(seed);
    const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
    const graph: Graph = Object.fromEntries(names.map((name, index) => [name, {
      takes: 1 + random.int(30),
      needs: names.slice(0, index).filter(() => random.int(4) === 0),
    }]));
    const work = Object.values(graph).reduce((sum, { takes }) => sum + takes, 0);
    // Graham's bound of any schedule that leaves no place free.
    const bound = work / 4 + criticalPath(graph) * 3 / 4;
    assertEquals(stepsOf(graph, 4) <= Math.ceil(bound), true, `seed ${seed}: ${stepsOf(graph, 4)}, bound ${bound}`);
  }
});
