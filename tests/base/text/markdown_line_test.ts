import { assertEquals } from "@std/assert";
import { markdownLine } from "../../../lib/base/text/markdown_line.ts";

Deno.test("what people read in Markdown stays as it is", () => {
  const texts = [
    "20261122-215036-8c25",
    "analyst_review: APPROVED (cycle 1)",
    "init__all and x_1_y",
    "the test of round 2 passed; 3.5 s, 100 %, C#, a & b, a@b, R&D!",
    "C:\\Users\\jane",
    "npm test -- --watch=no + more",
    "say: yes {a} (b) ]",
  ];
  for (const text of texts) assertEquals(markdownLine(text), text);
});

Deno.test("nothing in a line of others acts in Markdown", () => {
  const cases = [
    ["**b** _i_ __s__ ~~d~~ ~e~", "\\*\\*b\\*\\* \\_i\\_ \\_\\_s\\_\\_ \\~\\~d\\~\\~ \\~e\\~"],
    ["_(a)_ é_b ._c_.", "\\_(a)\\_ é_b .\\_c\\_."],
    ["![i](u) [l][r] [x]: u", "!\\[i](u) \\[l]\\[r] \\[x]: u"],
    ["<img src=x> <!-- --> a<b", "\\<img src=x> \\<!-- --> a\\<b"],
    ["&lt;b&gt; &#60; &amp", "\\&lt;b\\&gt; \\&#60; &amp"],
    ["http://a www.b.c ftp://d", "http\\://a www\\.b.c ftp\\://d"],
    ["a | b \\| c", "a \\| b \\\\\\| c"],
    ["`a` \\`b\\` end\\", "\\`a\\` \\\\\\`b\\\\\\` end\\\\"],
    ["a\\_b", "a\\\\\\_b"],
    ["# h", "\\# h"],
    ["> q", "\\> q"],
    ["- l", "\\- l"],
    ["+ l", "\\+ l"],
    ["---", "\\---"],
    ["::add-mask::y ##[error]z", "\\::add-mask::y ##\\[error]z"],
    ["===", "\\==="],
    ["12. l", "12\\. l"],
    ["1) l", "1\\) l"],
    ["\n\n    code\r\n# h", "code # h"],
    ["a\x1b[2J\u202eb", "a\\x1b\\[2J\\u202eb"],
  ] as const;
  for (const [text, markdown] of cases) assertEquals(markdownLine(text), markdown, text);
});
