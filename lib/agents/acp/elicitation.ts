import { isObject } from "../../base/schema.ts";
import type { AgentChoice, AgentQuestion, QuestionReply } from "../../base/question.ts";
import { objectOf, textOf } from "../../base/text/json.ts";

type FormContent = Readonly<Record<string, string | number | boolean | string[]>>;

interface QuestionForm {
  readonly questions: readonly AgentQuestion[];
  problemWith(replies: readonly QuestionReply[]): string | undefined;
  contentOf(replies: readonly QuestionReply[]): FormContent;
}

interface Field {
  readonly key: string;
  readonly question: AgentQuestion;
  readonly values: readonly (string | boolean)[];
  readonly takes: "choice" | "choices" | "text" | "number";
  readonly ownWordsKey?: string;
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
    problemWith: (replies) =>
      replies.length === known.length
        ? known.map((field, index) => problemOf(field, replies[index]!)).find((problem) => problem !== undefined)
        : `it takes ${known.length} replies, and was given ${replies.length}`,
    contentOf: (replies) => Object.fromEntries(known.flatMap((field, index) => entriesOf(field, replies[index]!))),
  };
}

function readField(
  key: string,
  given: unknown,
  { words, ownWordsKey }: { readonly words: string | undefined; readonly ownWordsKey: string | undefined },
): Field | undefined {
  const field = objectOf(given);
  const own = ownWordsKey === undefined ? {} : { ownWordsKey };
  const title = textOf(field["title"]);
  const question = words ?? textOf(field["description"]) ?? title ?? key;
  const items = objectOf(field["items"]);
  const fieldOf = (takes: Field["takes"], options: readonly AgentChoice[], values: Field["values"]): Field => ({
    ...{ key, takes, values, ...own },
    question: { question, multiSelect: takes === "choices", options },
  });
  switch (field["type"]) {
    case "string": {
      if (!Array.isArray(field["oneOf"]) && !Array.isArray(field["enum"])) return fieldOf("text", [], []);
      const choices = readChoices(field["oneOf"], field["enum"]);
      return choices === undefined ? undefined : fieldOf("choice", choices.options, choices.values);
    }
    case "array": {
      const choices = readChoices(items["anyOf"] ?? items["oneOf"], items["enum"]);
      return choices === undefined ? undefined : fieldOf("choices", choices.options, choices.values);
    }
    case "boolean":
      return fieldOf("choice", ["Yes", "No"].map((label) => ({ label, description: "" })), [true, false]);
    case "number":
    case "integer":
      return fieldOf("number", [], []);
    default:
      return undefined;
  }
}

function readChoices(
  titled: unknown,
  plain: unknown,
): { readonly options: readonly AgentChoice[]; readonly values: readonly string[] } | undefined {
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

function problemOf({ question: { question }, takes, ownWordsKey }: Field, { choices, text }: QuestionReply) {
  const about = JSON.stringify(question);
  if (takes === "number" && (text === undefined || text.trim() === "" || !Number.isFinite(Number(text)))) {
    return `${about} takes a number, as text:`;
  }
  if (takes === "text" && (text === undefined || choices.length > 0)) return `${about} takes words, as text:`;
  const isChoice = takes === "choice" || takes === "choices";
  const isMissing = text === undefined ? choices.length === 0 : ownWordsKey === undefined;
  return isChoice && isMissing ? `${about} takes ${takes === "choice" ? "one" : "some"} of its choices` : undefined;
}

function entriesOf(
  { key, ownWordsKey, takes, values }: Field,
  { choices, text }: QuestionReply,
): readonly (readonly [string, string | number | boolean | string[]])[] {
  const chosen = choices.map((at) => values[at]!);
  switch (takes) {
    case "text":
      return [[key, text ?? ""]];
    case "number":
      return [[key, Number(text)]];
    case "choice":
    case "choices": {
      const picked = takes === "choices" ? [[key, chosen.map(String)] as const] : [[key, chosen[0]!] as const];
      const own = text === undefined || ownWordsKey === undefined ? [] : [[ownWordsKey, text] as const];
      return [...(choices.length === 0 ? [] : picked), ...own];
    }
  }
}
