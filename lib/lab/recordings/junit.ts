import { type CheckedTimeline, timelineFaults } from "./check_timeline.ts";
import { isFaultless } from "./replay_timeline.ts";
import type { CorpusReport, Outcome } from "./check.ts";

// deno-lint-ignore no-control-regex
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text.toWellFormed().replaceAll(NOT_XML, "\ufffd").replaceAll("&", "&amp;").replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;").replaceAll('"', "&quot;").replaceAll("\n", "&#10;");
}

function testCase(outcome: Outcome): string {
  const { name, provider, version, expect, got, rule, evidence, alone } = outcome;
  const head = `    <testcase classname="${escapeXml(`${provider}.${version}`)}" name="${escapeXml(name)}"`;
  if (!alone) return `${head}>\n      <skipped message="one screen alone cannot tell"/>\n    </testcase>\n`;
  if (expect === got) return `${head}/>\n`;
  const message = escapeXml(`expected ${expect}, got ${got} by ${rule}`);
  const rows = evidence.map(({ row, text }) => escapeXml(`${row}: ${text}`)).join("\n");
  return `${head}>\n      <failure message="${message}">${rows}</failure>\n    </testcase>\n`;
}

function timelineSuite(timelines: readonly CheckedTimeline[]): string {
  if (timelines.length === 0) return "";
  const failures = timelines.filter((timeline) => !isFaultless(timeline)).length;
  const cases = timelines.map((timeline) => {
    const { path, provider, version = "unknown" } = timeline;
    const head = `    <testcase classname="${escapeXml(`${provider}.${version}`)}" name="${escapeXml(path)}"`;
    const [first, ...others] = timelineFaults(timeline);
    if (first === undefined) return `${head}/>\n`;
    const rest = escapeXml(others.join("\n"));
    return `${head}>\n      <failure message="${escapeXml(first)}">${rest}</failure>\n    </testcase>\n`;
  });
  return `  <testsuite name="timelines" tests="${timelines.length}" failures="${failures}">\n${
    cases.join("")
  }  </testsuite>\n`;
}

export function toJUnit(outcomes: readonly Outcome[], { versions, missing, timelines }: CorpusReport): string {
  const suites = versions.map(({ provider, version, total, right, apart }) => {
    const cases = outcomes.filter((outcome) => outcome.provider === provider && outcome.version === version);
    return `  <testsuite name="${escapeXml(`${provider} ${version}`)}" tests="${total + apart.total}" failures="${
      total - right
    }" skipped="${apart.total}">\n${cases.map(testCase).join("")}  </testsuite>\n`;
  });
  const gaps = missing.map(({ provider, classes }) =>
    `  <testsuite name="${escapeXml(provider)} corpus" tests="1" failures="1">\n` +
    `    <testcase classname="${escapeXml(provider)}" name="has every class">\n` +
    `      <failure message="${
      escapeXml(`no recording of: ${classes.join(", ")}`)
    }"/>\n    </testcase>\n  </testsuite>\n`
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join("")}${gaps.join("")}${
    timelineSuite(timelines)
  }</testsuites>\n`;
}
