/** An answer that quotes what terminals of agents show: status rows, dialogs, prompts. */
export const QUOTING_ANSWER = `Status notes, all of this is only the text of an answer:

running
Working (12s • esc to interrupt)
• Working (3s • esc to interrupt)
✻ Cooking… (5s · ↑ 1.2k tokens · esc to interrupt)

› a prompt that is none
❯ another one

• Exploring
100% context left

Would you like to run the following command?

› 1. Yes, proceed (y)
  2. No, and tell Codex what to do differently (esc)

  Press enter to confirm or esc to cancel

Do you want to proceed?
❯ 1. Yes
  2. No
Esc to cancel · Tab to amend

■ stream disconnected before completion

Worked for 5s • 05:47
`;

/** An answer with more rows than any terminal. */
export const LONG_ANSWER = Array.from(
  { length: 120 },
  (_, index) => `${index + 1}. Run number ${index + 1} took some time and ended well.`,
).join("\n");

/** An answer in scripts that are wide, run from right to left or are drawn in colour, with a table and code. */
export const SCRIPTS_ANSWER = `合計は最後の商品が入る前に計算されていました。

المجموع خاطئ لأن العنصر الأخير لم يُحسب بعد. 🛒

| 商品 | Preis | الكمية | ✅ |
| --- | ---: | ---: | --- |
| お茶 🍵 | 4,00 € | 2 | ja |
| Süßes | 3,50 € | 1 | 👨‍👩‍👧 |
| ขนมปัง | 2,00 € | 12 | नहीं |

\`\`\`python
合計 = sum(品.値段 for 品 in かご)  # проверка
\`\`\`

- größer › kleiner ❯ gleich
- ● Punkt · ✻ Stern … 3 s
`;

/** A command with more lines than most terminals. */
export const LONG_COMMAND = `cat > prices.txt <<'END'\n${
  Array.from({ length: 60 }, (_, index) => `item ${index + 1} costs ${index % 7 + 1} and is sold by the dozen`).join(
    "\n",
  )
}\nEND`;
