/**
 * Letters of other scripts, and signs, that are drawn like a Latin letter or like a sign, each after the character that
 * it looks like. From the table of confusable characters of Unicode Technical Standard 39: what capitals need, and
 * small letters and small capitals with them.
 */
const LOOK_ALIKES = [
  "A\u0391\u0410\u13aa\ua4ee\u1d00",
  "C\u03f9\u0421\u13df\ua4da\u1d04",
  "D\u13a0\ua4d3\u1d05",
  "E\u0395\u0415\u13ac\ua4f0\u1d07",
  "F\u03dc\ua4dd\ua730",
  "I\u0399\u0406\u04c0\u13a5\ua4f2\u026a\u0131\u0196\u01c0\u2223",
  "L\u13de\ua4e1\u029f",
  "N\u039d\ua4e0\u0274",
  "O\u039f\u041e\u0555\ua4f3\u1d0f",
  "P\u03a1\u0420\u13e2\ua4d1\u1d18",
  "R\u13a1\u13d2\ua4e3\u0280",
  "S\u0405\u054f\u13da\ua4e2\ua731",
  "T\u03a4\u0422\u13a2\ua4d4\u1d1b",
  "U\u054d\u144c\ua4f4\u1d1c",
  "V\u0474\u13d9\ua4e6\u1d20",
  "W\u051c\u13b3\u13d4\ua4ea\u1d21",
  "a\u03b1\u0430",
  "c\u03f2\u0441",
  "e\u0435",
  "i\u03b9\u0456",
  "l\u04cf",
  "o\u03bf\u043e",
  "p\u03c1\u0440",
  "s\u0455",
  "u\u057d",
  "v\u03bd\u0475",
  ":\u02d0\u2236\u205a\ua789",
  "=\u2261\ua78a",
  "/\u2044\u2215",
].map((row) => [...row]);

const LATIN = new Map(LOOK_ALIKES.flatMap(([latin = "", ...others]) => others.map((other) => [other, latin])));

/**
 * Text in the plain letters that a reader takes it for: full-width, mathematical and circled letters, letters with
 * marks, and the letters of other scripts that look like Latin ones.
 *
 * It is for comparing only: words of other scripts come out mixed.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(plainLetters("\uff26\uff21\uff29\uff2c, F\u0410IL, F\u00c1IL, \u{1d405}\u{1d400}\u{1d408}\u{1d40b}"), "FAIL, FAIL, FAIL, FAIL");
 * ```
 */
export function plainLetters(text: string): string {
  const bare = text.normalize("NFKD").replaceAll(/\p{Mn}/gu, "");
  return bare.replaceAll(/[^\p{ASCII}]/gu, (character) => LATIN.get(character) ?? signLetter(character) ?? character);
}

/** Where the letters from A to Z in white circles and squares begin, and those that flags are made of. */
const SIGN_LETTERS = [0x1f150, 0x1f170, 0x1f1e6];

function signLetter(character: string): string | undefined {
  const code = character.codePointAt(0)!;
  const first = SIGN_LETTERS.find((first) => code >= first && code < first + 26);
  return first === undefined ? undefined : String.fromCharCode(65 + code - first);
}
