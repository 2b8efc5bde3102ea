import { assert, assertEquals, assertMatch, assertNotMatch, assertStringIncludes } from "@std/assert";
import type { PictureRow, Recording } from "../.ci/picture/recording.ts";
import { drawPicture } from "../.ci/picture/svg.ts";
import { playedTimes, stepsAnimation } from "../.ci/picture/timing.ts";

const row = (text: string): PictureRow => [{ column: 0, text, isBold: false, isDim: false }];

const RECORDING: Recording = {
  columns: 40,
  log: [
    { atMs: 100, row: row("round 1 of 3 <&>") },
    { atMs: 5000, row: [{ column: 2, text: "PASS", color: 2, isBold: true, isDim: false }] },
    { atMs: 5000, row: row("What to type next") },
  ],
  live: [{ atMs: 200, row: row("analyst · working") }, { atMs: 5000, row: [] }],
  panes: [
    { atMs: 200, role: "analyst", rows: [row("header"), [], [], row("› Ask")] },
    { atMs: 300, role: "programmer", rows: [row("› Ask")] },
  ],
  endMs: 5000,
};

/** The elements of an XML text; fails where they are not closed in their order, or `&` or `<` stand for themselves. */
function elementsOf(xml: string): readonly string[] {
  const open: string[] = [];
  const names: string[] = [];
  for (const [, closing, name = "", rest = ""] of xml.matchAll(/<(\/?)([\w:]+)([^<>]*)>/g)) {
    if (closing === "/") assertEquals(open.pop(), name);
    else {
      names.push(name);
      if (!rest.endsWith("/")) open.push(name);
    }
  }
  assertEquals(open, []);
  assertNotMatch(xml.replaceAll(/<\/?[\w:]+[^<>]*>/g, ""), /<|&(?!amp;|lt;|gt;)/);
  return names;
}

Deno.test("docs/demo.svg: well-formed, light, without script, links and names of a machine, and still where that is wanted", async () => {
  const svg = await Deno.readTextFile(new URL("../docs/demo.svg", import.meta.url));
  const names = new Set(elementsOf(svg));
  assertEquals(["script", "foreignObject", "image", "a", "animate"].filter((name) => names.has(name)), []);
  assert(svg.length < 150 * 1024, `${svg.length} bytes`);
  assertNotMatch(svg.replace('xmlns="http://www.w3.org/2000/svg"', ""), /https?:|\bon\w+=|@import|url\((?!#)/);
  assertNotMatch(svg, /\/(?:root|work|Users)\/|\/home\/(?!you\/)/);
  assertStringIncludes(svg, "@media(prefers-reduced-motion:reduce){g{animation:none!important}}");
  for (const shown of ["$", "round 1: FAIL", "2 rounds", "What to type next", "task demo --keep"]) {
    assertStringIncludes(svg, shown);
  }
});

Deno.test("the picture has each row once, in its colours, and what stands in it is text", () => {
  const svg = drawPicture(RECORDING, { typed: "panewright demo" });
  elementsOf(svg);
  assertStringIncludes(svg, "round 1 of 3 &lt;&amp;&gt;");
  assertEquals(svg.split(">› Ask<").length - 1, 1);
  const [, color] = /<tspan x="16.9" class="(c\d+) b">PASS</.exec(svg) ?? [];
  assertStringIncludes(svg, `.${color}{fill:#56d364}`);
});

Deno.test("the pane is there while the job lasts, and shows the last programmer where nothing is played", () => {
  const svg = drawPicture(RECORDING, { typed: "panewright demo" });
  assertMatch(
    svg,
    /@keyframes while\{0%\{visibility:visible\}[\d.]+%\{visibility:hidden\}\}#while\{visibility:visible;/,
  );
  assertMatch(svg, /#role\{transform:translateY\(-56px\);/);
});

Deno.test("long pauses are cut, the rest is played as it was, and the last lines come one by one", () => {
  const { at, log, end, duration } = playedTimes(RECORDING);
  assertEquals([at(200) - at(100), at(300) - at(200), at(5000) - at(300)], [100, 100, 700]);
  assertEquals(log.map(([, line]) => line), [0, 1, 2, 3]);
  assertEquals(log[2]?.[0], end);
  assert(log[3]![0] > end && log[3]![0] < duration);
});

Deno.test("of steps at one moment the last one counts, and a step that changes nothing is none", () => {
  const steps = [[0, "a"], [50, "b"], [50, "c"], [75, "c"]] as const;
  assertEquals(
    stepsAnimation("x", { steps, durationMs: 100, stillMs: 60 }),
    "@keyframes x{0%{a}50%{c}}#x{c;animation:x 100ms step-end infinite}",
  );
});
