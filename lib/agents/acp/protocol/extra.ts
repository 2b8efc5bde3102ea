import { arrayOf, type JsonObject, objectOf } from "../../../base/text/json.ts";

const KNOWN = "toolCallId name title kind status rawInput rawOutput content locations _meta sessionUpdate".split(" ");

/** The fields of a tool call, its diffs, contents and places that nothing reads, as they came. */
export function extraOf(given: JsonObject): JsonObject | undefined {
  const fields = Object.entries(given).filter(([key, value]) => !KNOWN.includes(key) && !isNothing(value));
  const content = arrayOf(given["content"]).map(objectOf).filter((part) => !isKnownPart(part));
  const places = arrayOf(given["locations"]).map(objectOf).filter((place) =>
    !hasOnly(place, ["path", "line", "_meta"])
  );
  const extra = {
    ...Object.fromEntries(fields),
    ...(content.length === 0 ? {} : { contents: content }),
    ...(places.length === 0 ? {} : { places }),
  };
  return Object.keys(extra).length === 0 ? undefined : extra;
}

function isKnownPart(part: JsonObject): boolean {
  switch (part["type"]) {
    case "diff":
      return hasOnly(part, ["type", "path", "oldText", "newText", "_meta"]);
    case "content":
      return hasOnly(part, ["type", "content", "_meta"]) &&
        hasOnly(objectOf(part["content"]), ["type", "text", "annotations", "_meta"]);
    case "terminal":
      return hasOnly(part, ["type", "terminalId", "_meta"]);
    default:
      return false;
  }
}

function hasOnly(value: JsonObject, keys: readonly string[]): boolean {
  return Object.entries(value).every(([key, one]) => keys.includes(key) || isNothing(one));
}

/** Whether a value says nothing: it is empty, or only says no. */
export function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "" || value === false ||
    typeof value === "object" && Object.keys(value).length === 0;
}
