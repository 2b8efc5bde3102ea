import { assertEquals, assertMatch } from "@std/assert";
import { readForm } from "../../../lib/agents/acp/elicitation.ts";

const form = (properties: Readonly<Record<string, unknown>>, message = "Please answer.") =>
  readForm(message, { type: "object", properties });
const colours = [{ const: "r", title: "Red", description: "Warm" }, { const: "b", title: "Blue" }];

Deno.test("each kind of field is a question, and its reply has the field's own type", () => {
  const read = form({
    colour: { type: "string", title: "Colour", oneOf: colours },
    sizes: { type: "array", description: "Which sizes?", items: { enum: ["S", "M"] } },
    tags: { type: "array", title: "Tags", items: { anyOf: colours } },
    sure: { type: "boolean", title: "Sure?" },
    count: { type: "integer", title: "How many?" },
    name: { type: "string", title: "Name" },
  });
  assertEquals(read?.questions.map(({ question, multiSelect, options }) => [question, multiSelect, options.length]), [
    ["Colour", false, 2],
    ["Which sizes?", true, 2],
    ["Tags", true, 2],
    ["Sure?", false, 2],
    ["How many?", false, 0],
    ["Name", false, 0],
  ]);
  assertEquals(read?.questions[0]?.options[0], { label: "Red", description: "Warm" });
  const replies = [
    { choices: [1] },
    { choices: [0, 1] },
    { choices: [0] },
    { choices: [1] },
    { choices: [], text: "3" },
    { choices: [], text: "Ann" },
  ];
  assertEquals(read?.replyWith(replies), {
    reply: { colour: "b", sizes: ["S", "M"], tags: ["r"], sure: false, count: 3, name: "Ann" },
  });
});

Deno.test("words of a person's own go into the field for them", () => {
  const properties = {
    question_0: { type: "array", items: { anyOf: colours } },
    question_0_custom: { type: "string", title: "Other" },
  };
  const read = form(properties, "Which colours?");
  assertEquals(read?.questions.map(({ question }) => question), ["Which colours?"]);
  assertEquals(read?.replyWith([{ choices: [0], text: "Green" }]), {
    reply: { question_0: ["r"], question_0_custom: "Green" },
  });
  assertEquals(read?.replyWith([{ choices: [], text: "Green" }]), { reply: { question_0_custom: "Green" } });
});

Deno.test("replies that do not fit are told of", () => {
  const read = form({ colour: { type: "string", enum: ["r"] }, count: { type: "number" }, name: { type: "string" } });
  const problem = (index: number, reply: { readonly choices: readonly number[]; readonly text?: string }) => {
    const good = [{ choices: [0] }, { choices: [], text: "1.5" }, { choices: [], text: "Ann" }];
    return JSON.stringify(read?.replyWith(good.map((one, at) => at === index ? reply : one)));
  };
  assertMatch(problem(0, { choices: [], text: "Green" }), /^\{"problem":"\\"colour\\" takes one of its choices/);
  assertMatch(problem(0, { choices: [] }), /^\{"problem":"\\"colour\\" takes one of its choices/);
  assertMatch(problem(1, { choices: [], text: "many" }), /^\{"problem":"\\"count\\" takes a number/);
  assertMatch(problem(1, { choices: [] }), /^\{"problem":"\\"count\\" takes a number/);
  assertMatch(problem(2, { choices: [] }), /^\{"problem":"\\"name\\" takes words/);
  assertEquals(read?.replyWith([]), { problem: "it takes 3 replies, and was given 0" });
});

Deno.test("a form that is not understood as a whole is not a question that can be answered", () => {
  assertEquals(form({}), undefined);
  assertEquals(form({ a: { type: "object" } }), undefined);
  assertEquals(form({ a: { type: "string" }, b: { type: "null" } }), undefined);
  assertEquals(form({ a: { type: "array", items: { type: "number" } } }), undefined);
  assertEquals(form({ a: { type: "string", oneOf: [{ const: 1, title: "One" }] } }), undefined);
  assertEquals(form({ a: { type: "string", title: "x" }, b: { type: "string", title: "x" } }), undefined);
  assertEquals(readForm("x", null), undefined);
});
