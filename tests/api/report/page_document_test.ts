import { assert, assertEquals } from "@std/assert";
import { buildPage, PAGE_FILE } from "../../../.ci/page.ts";
import { pageDocument } from "../../../lib/api/report/page_document.ts";
import { reportDocument } from "./page_fixture.ts";

Deno.test("page.json is what deno task page makes of the sources", async () => {
  assertEquals(await Deno.readTextFile(PAGE_FILE), await buildPage(), "run: deno task page");
});

Deno.test("a page carries its policy, allows only its own script and style, and has all data as data", () => {
  const hostile = "</script><img src=x onerror=alert(1)><!-- \u2028 ${x}";
  const plain = reportDocument();
  const ref = `"><b>`;
  const detail = { kind: "output", ref, title: hostile, text: hostile } as const;
  const document = { ...plain, header: { ...plain.header, about: hostile }, details: { [ref]: detail } };
  const { html, policy } = pageDocument({ kind: "file", document }, { title: hostile });
  assertEquals(html.match(/<script/g)?.length, 3);
  assertEquals(html.match(/<\/script/g)?.length, 3);
  assert(!html.includes("<img") && !html.includes("<!--") && !html.includes("<b>"));
  assert(html.includes(`content="${policy}"`) && policy.startsWith("default-src 'none'; script-src 'sha256-"));
  assert(!policy.includes("unsafe") && !policy.includes("connect-src"));
  const [, report] = /id="report">([^]*?)<\/script>/.exec(html)!;
  const { details: _details, ...rest } = document;
  assertEquals(JSON.parse(report!), JSON.parse(JSON.stringify(rest)));
});

Deno.test("a live page may only ask the server that it came from", () => {
  const { html, policy } = pageDocument({ kind: "live", run: 'r"1' }, { title: "run" });
  assert(html.includes('data-page="live" data-run="r&#34;1" data-live'));
  assert(policy.includes("connect-src 'self'"));
});
