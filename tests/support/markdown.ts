/** A fenced block of a Markdown text. */
export interface FencedBlock {
  /** The word after the fence: `sh`, `jsonc`, `text`; empty where there is none. */
  readonly language: string;
  readonly text: string;
  /** The line of its fence, from 1. */
  readonly line: number;
}

/** What the tests of documents read of a Markdown text. */
export interface Markdown {
  readonly blocks: readonly FencedBlock[];
  /** The targets of links and pictures, as they are written. */
  readonly links: readonly string[];
  /** What GitHub makes of the headings: `the-check-review`. */
  readonly anchors: ReadonlySet<string>;
  /** Code within lines, without its backticks. */
  readonly spans: readonly string[];
}

/** Reads what the tests of documents need; not a parser of all of Markdown, but of what these documents use. */
export function readMarkdown(text: string): Markdown {
  const blocks: FencedBlock[] = [];
  const prose = text.replace(/^( *)```(\w*)[^\n]*\n([^]*?)^\1```$/gm, (whole, _indent, language, inner, at: number) => {
    blocks.push({ language, text: inner, line: text.slice(0, at).split("\n").length });
    return whole.replace(/[^\n]/g, "");
  });
  const withoutCode = prose.replace(/`[^`]+`/g, (code) => code.replace(/[[\]()]/g, ""));
  return {
    blocks,
    links: [
      ...[...withoutCode.matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target ?? ""),
      ...[...withoutCode.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, target]) => target ?? ""),
    ],
    anchors: anchorsOf([...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => heading ?? "")),
    spans: [...prose.matchAll(/`([^`]+)`/g)].map(([, code]) => (code ?? "").replaceAll(/\s+/g, " ")),
  };
}

function anchorsOf(headings: readonly string[]): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const heading of headings) {
    const plain = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").toLowerCase();
    const anchor = plain.replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replaceAll(" ", "-");
    let name = anchor;
    for (let count = 1; anchors.has(name); count++) name = `${anchor}-${count}`;
    anchors.add(name);
  }
  return anchors;
}
