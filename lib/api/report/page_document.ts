/**
 * A page of panewright as one HTML text, with everything in it that it needs: nothing is fetched but what a live page
 * asks its own server for.
 *
 * @module
 */
import type { ReportDocument } from "./model.ts";
import PAGE from "./page.json" with { type: "json" };

/** What a page shows. Only a file carries its content; the others ask the server that they came from. */
export type PageContent =
  | { readonly kind: "file"; readonly document: ReportDocument }
  /** A run that is followed, by `/v1/runs/{run}/…`. */
  | { readonly kind: "live"; readonly run: string }
  /** All runs of a server. */
  | { readonly kind: "index" };

/** A page, and the Content-Security-Policy that it carries, which a server also sends as a header. */
export interface PageDocument {
  readonly html: string;
  readonly policy: string;
}

/** The page for a content; all texts of it are data, never markup. */
export function pageDocument(content: PageContent, { title }: { readonly title: string }): PageDocument {
  const policy = policyOf(content.kind);
  const run = content.kind === "live" ? ` data-run="${escaped(content.run)}"` : "";
  const html = [
    "<!doctype html>",
    `<html lang="en" data-page="${content.kind}"${run}${content.kind === "live" ? " data-live" : ""}>`,
    "<head>",
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    '<link rel="icon" href="data:,">',
    `<title>${escaped(title)}</title>`,
    `<style>${PAGE.style}</style>`,
    "</head>",
    "<body>",
    '<div id="page"></div>',
    `<noscript><p class="noscript">${NO_SCRIPT}</p></noscript>`,
    ...(content.kind === "file" ? dataOf(content.document) : []),
    `<script>${PAGE.script}</script>`,
    "</body>",
    "</html>",
    "",
  ].join("\n");
  return { html, policy };
}

const NO_SCRIPT = "This page is drawn by its script, which is switched off here. " +
  "<code>panewright report --format md</code> tells the same as text.";

function policyOf(kind: PageContent["kind"]): string {
  return [
    "default-src 'none'",
    `script-src '${PAGE.scriptHash}'`,
    `style-src '${PAGE.styleHash}'`,
    "img-src data:",
    ...(kind === "file" ? [] : ["connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

/** Each detail is an element of its own, so that only those that are opened are parsed. */
function* dataOf({ details, ...report }: ReportDocument): Generator<string> {
  yield `<script type="application/json" id="report">${inert(report)}</script>`;
  for (const [ref, detail] of Object.entries(details)) {
    yield `<script type="application/json" data-ref="${escaped(ref)}">${inert(detail)}</script>`;
  }
}

function inert(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}
