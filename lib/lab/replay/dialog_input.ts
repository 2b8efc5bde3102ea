import type { InputEvent } from "../../base/text/keys.ts";

const APPROVE_CHARACTERS = "y1p2";
const DECLINE_CHARACTERS = "n3";
const OPTION_COUNT = 3;
const DECLINE_OPTION = 2;

/** Whether it is approved by that, or else the option that is selected then. */
export function pressInDialog(event: InputEvent, selected: number): boolean | number {
  if (event.type === "paste") return selected;
  if (event.type === "text") {
    const decisive = [...event.text].find((character) => (APPROVE_CHARACTERS + DECLINE_CHARACTERS).includes(character));
    return decisive === undefined ? selected : APPROVE_CHARACTERS.includes(decisive);
  }
  switch (event.key) {
    case "escape":
    case "ctrl-c":
      return false;
    case "enter":
      return selected !== DECLINE_OPTION;
    case "up":
      return (selected + OPTION_COUNT - 1) % OPTION_COUNT;
    case "down":
      return (selected + 1) % OPTION_COUNT;
    default:
      return selected;
  }
}
