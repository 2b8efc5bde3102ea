import type { InputEvent } from "../../base/text/keys.ts";

interface DialogInput {
  readonly approved: boolean | undefined;
  readonly selected: number;
}

const APPROVE_CHARACTERS = "y1p2";
const DECLINE_CHARACTERS = "n3";
const OPTION_COUNT = 3;
const DECLINE_OPTION = 2;

export function pressInDialog(event: InputEvent, selected: number): DialogInput {
  if (event.type === "paste") return { approved: undefined, selected };
  if (event.type === "text") {
    const decisive = [...event.text].find((character) => (APPROVE_CHARACTERS + DECLINE_CHARACTERS).includes(character));
    return { approved: decisive === undefined ? undefined : APPROVE_CHARACTERS.includes(decisive), selected };
  }
  switch (event.key) {
    case "escape":
    case "ctrl-c":
      return { approved: false, selected };
    case "enter":
      return { approved: selected !== DECLINE_OPTION, selected };
    case "up":
      return { approved: undefined, selected: (selected + OPTION_COUNT - 1) % OPTION_COUNT };
    case "down":
      return { approved: undefined, selected: (selected + 1) % OPTION_COUNT };
    default:
      return { approved: undefined, selected };
  }
}
