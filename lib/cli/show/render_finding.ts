import { sanitizeText } from "../../base/text/sanitize.ts";
import { paint, type Style } from "../console/color.ts";
import { wrapProse } from "../console/layout.ts";
import type { Finding } from "../preflight/finding.ts";

interface RenderFindingOptions {
  readonly color?: boolean;
  readonly width?: number;
}

export function renderFinding({ status, check, detail, remedy }: Finding, options: RenderFindingOptions = {}): string {
  const { color = false, width = Infinity } = options;
  const room = Math.max(MIN_COLUMNS, width - MARGIN);
  const lines = [`${check}: ${detail}`, ...(remedy === undefined ? [] : [remedy])].join("\n").split("\n");
  const rows = lines.flatMap((line) => wrapProse(line, room));
  const mark = paint(status, STATUS_STYLES[status], color) + " ".repeat(MARGIN - status.length);
  return rows.map((row, index) => `${index === 0 ? mark : " ".repeat(MARGIN)}${sanitizeText(row)}\n`).join("");
}

const STATUS_STYLES: Readonly<Record<Finding["status"], Style>> = { ok: "good", warn: "caution", fail: "bad" };

const MARGIN = 6;

const MIN_COLUMNS = 30;
