import type { AgentChoice, AgentQuestion, QuestionReply } from "../../base/question.ts";
import { isObject } from "../../base/schema.ts";
import { objectOf, textOf } from "../../base/text/json.ts";

type Entry = readonly [key: string, value: string | number | boolean | string[]];

/** What replies come to, or in words what does not fit. */
export type Replied<Reply> = { readonly reply: Reply } | { readonly problem: string };

interface QuestionForm {
  readonly questions: readonly AgentQuestion[];
  replyWith(replies: readonly QuestionReply[]): Replied<Readonly<Record<string, Entry[1]>>>;
}

interface Field {
  readonly question: AgentQuestion;
  readonly replyWith: (reply: QuestionReply) => Replied<readonly Entry[]>;
}

interface Choices {
  readonly options: readonly AgentChoice[];
  readonly values: readonly (string | boolean)[];
}

/**
 * Reads a form (`elicitation/create`); `undefined` where a field of it is not understood, or two questions are the
 * same. A field `KEY_custom` that may be left out is for a person's own words to the question `KEY`.
 */
export function readForm(message: string, schema: unknown): QuestionForm | undefined {
  const properties = objectOf(objectOf(schema)["properties"]);
  const keys = Object.keys(properties);
  const isOwnWords = (key: string) =>
    key.endsWith("_custom") && keys.includes(key.slice(0, -"_custom".length)) &&
    objectOf(properties[key])["type"] === "string";
  const asked = keys.filter((key) => !isOwnWords(key));
  const fields = asked.map((key) =>
    readField(key, properties[key], {
      words: asked.length === 1 ? message : undefined,
      ownWordsKey: keys.find((one) => one === `${key}_custom` && isOwnWords(one)),
    })
  );
  const known = fields.filter((field) => field !== undefined);
  const isWhole = known.length === asked.length && known.length > 0;
  if (!isWhole || new Set(known.map(({ question }) => question.question)).size < known.length) return undefined;
  return {
    questions: known.map(({ question }) => question),
    replyWith(replies) {
      if (replies.length !== known.length) {
        return { problem: `it takes ${known.length} replies, and was given ${replies.length}` };
      }
      const entries: Entry[] = [];
      for (const [index, field] of known.entries()) {
        const replied = field.replyWith(replies[index]!);
        if ("problem" in replied) return replied;
        entries.push(...replied.reply);
      }
      return { reply: Object.fromEntries(entries) };
    },
  };
}

function readField(
  key: string,
  given: unknown,
  { words, ownWordsKey }: { readonly words: string | undefined; readonly ownWordsKey: string | undefined },
): Field | undefined {
  const { type, title, description, items, oneOf, enum: plain } = objectOf(given);
  const question = words ?? textOf(description) ?? textOf(title) ?? key;
  const takes = (what: string) => ({ problem: `${JSON.stringify(question)} takes ${what}` });
  const written = (replyWith: Field["replyWith"]): Field => ({
    question: { question, multiSelect: false, options: [] },
    replyWith,
  });
  const chosen = (from: Choices | undefined, multiSelect = false): Field | undefined =>
    from && {
      question: { question, multiSelect, options: from.options },
      replyWith({ choices, text }) {
        if (text === undefined ? choices.length === 0 : ownWordsKey === undefined) {
          return takes(`${multiSelect ? "some" : "one"} of its choices`);
        }
        const values = choices.map((at) => from.values[at]!);
        const picked: Entry = [key, multiSelect ? values.map(String) : values[0]!];
        const own: readonly Entry[] = text === undefined || ownWordsKey === undefined ? [] : [[ownWordsKey, text]];
        return { reply: choices.length === 0 ? own : [picked, ...own] };
      },
    };
  switch (type) {
    case "string":
      if (Array.isArray(oneOf) || Array.isArray(plain)) return chosen(readChoices(oneOf, plain));
      return written(({ choices, text }) =>
        text === undefined || choices.length > 0 ? takes("words, as text:") : { reply: [[key, text]] }
      );
    case "array": {
      const { anyOf, oneOf, enum: plain } = objectOf(items);
      return chosen(readChoices(anyOf ?? oneOf, plain), true);
    }
    case "boolean":
      return chosen({
        options: ["Yes", "No"].map((label) => ({ label, description: "" })),
        values: [true, false],
      });
    case "number":
    case "integer":
      return written(({ text = "" }) =>
        text.trim() === "" || !Number.isFinite(Number(text))
          ? takes("a number, as text:")
          : { reply: [[key, Number(text)]] }
      );
    default:
      return undefined;
  }
}

function readChoices(titled: unknown, plain: unknown): Choices | undefined {
  const given = Array.isArray(titled)
    ? titled
    : Array.isArray(plain)
    ? plain.map((value) => ({ const: value, title: value }))
    : [];
  const choices = given.filter(isObject).flatMap((one) => {
    const value = textOf(one["const"]);
    const label = textOf(one["title"]) ?? value;
    if (value === undefined || label === undefined || label.trim() === "") return [];
    return [{ value, option: { label, description: textOf(one["description"]) ?? "" } }];
  });
  if (choices.length === 0 || choices.length < given.length) return undefined;
  return { options: choices.map(({ option }) => option), values: choices.map(({ value }) => value) };
}
