import { assert, assertEquals } from "@std/assert";
import { classifyScreen } from "../../../lib/agents/classify_screen.ts";
import { claudeAnswerWay } from "../../../lib/agents/claude_code/answer.ts";
import { codexAnswerWay } from "../../../lib/agents/codex/answer.ts";
import type { AnswerWay } from "../../../lib/agents/pane/dialog_keys.ts";
import type { DialogInfo } from "../../../lib/screen/dialog.ts";
import { parseScreen } from "../../../lib/screen/screen.ts";
import { recordingsOf } from "../../support/screens.ts";

/** Every dialog of the recorded screens of a provider, each different one once. */
async function recordedDialogs(provider: string): Promise<readonly DialogInfo[]> {
  const found = new Map<string, DialogInfo>();
  for (const { ansi, ...meta } of await recordingsOf(provider)) {
    const { dialog } = classifyScreen(provider, parseScreen(ansi, meta));
    if (dialog) found.set(dialog.fingerprint, dialog);
  }
  return [...found.values()];
}

/** The labels that keys stand for in a dialog. */
function labelsOf(dialog: DialogInfo, way: AnswerWay | undefined): string[] | undefined {
  if (way?.by === "selection") return [dialog.options[way.option]?.label ?? ""];
  return way?.keys.map((key) => {
    const option = dialog.options.find((one) => String(one.number) === key || one.key === key);
    return option?.label ?? key;
  });
}

for (
  const [provider, answerWay, kinds, yes, no] of [
    ["codex", codexAnswerWay, ["command", "patch"], /^Yes, proceed$/, /^Escape$/],
    [
      "claude_code",
      claudeAnswerWay,
      ["command", "file_write", "file_edit", "plan"],
      /^Yes$|^Yes, (?:and )?manually approve edits$|^Yes, and switch to default \(ask each time\) for this session$/,
      /^Escape$|^No(?:, and tell Claude what to do differently|, keep planning)?$/,
    ],
  ] as const
) {
  Deno.test(`in every recorded dialog of ${provider} the keys are those of the plain yes and the plain no, or there are none`, async () => {
    const answered = new Map<string, number>();
    for (const dialog of await recordedDialogs(provider)) {
      const [accept] = labelsOf(dialog, answerWay(dialog, "accept")) ?? [];
      const [decline] = labelsOf(dialog, answerWay(dialog, "decline")) ?? [];
      if (kinds.some((kind) => kind === dialog.kind)) {
        assert(accept !== undefined && yes.test(accept), `${dialog.fingerprint}: accept picks ${accept}`);
        // A dialog that scrolls may show no choice that says no: then it is for a person.
        const hasNo = provider === "claude_code" || dialog.options.some(({ label }) => label.startsWith("No"));
        assert(decline === undefined ? !hasNo : no.test(decline), `${dialog.fingerprint}: decline picks ${decline}`);
        answered.set(dialog.kind, (answered.get(dialog.kind) ?? 0) + 1);
      } else {
        assertEquals([accept, decline], [undefined, undefined], dialog.fingerprint);
      }
    }
    assertEquals([...answered.keys()].toSorted(), [...kinds].toSorted());
  });
}

Deno.test("a dialog whose plain yes is missing or stands there twice is not accepted, whatever comes first", () => {
  const dialog = (...labels: readonly string[]): DialogInfo => ({
    kind: "command",
    heading: "Do you want to proceed?",
    subject: "ls",
    subjectComplete: true,
    otherReadings: [],
    fingerprint: "",
    options: labels.map((label, index) => ({ label, number: index + 1, selected: index === 0 })),
  });
  assertEquals(claudeAnswerWay(dialog("Yes, and switch to auto mode", "No"), "accept"), undefined);
  assertEquals(claudeAnswerWay(dialog("No", "Yes, always", "Yes"), "accept"), { by: "keys", keys: ["3"] });
  assertEquals(claudeAnswerWay(dialog("Yes", "Yes"), "accept"), undefined);
  assertEquals(codexAnswerWay(dialog("Yes, and don't ask again for this command", "No"), "accept"), undefined);
});

Deno.test("a choice without number and key is taken by the selection", () => {
  const options = [{ label: "No", selected: true }, { label: "Yes", selected: false }];
  const dialog = {
    kind: "command",
    heading: "",
    subject: undefined,
    subjectComplete: false,
    otherReadings: [],
    fingerprint: "",
    options,
  } as const;
  assertEquals(claudeAnswerWay(dialog, "accept"), { by: "selection", option: 1 });
  assertEquals(claudeAnswerWay(dialog, "decline"), { by: "keys", keys: ["Escape"] });
  const unselected = { ...dialog, options: options.map((one) => ({ ...one, selected: false })) };
  assertEquals(claudeAnswerWay(unselected, "accept"), undefined);
});
