/** The words of a verdict, as patterns: those of a refusal in capitals, and of approval, in small letters. */
export interface RetractionWords {
  readonly loud: string;
  readonly anyCase: string;
  readonly approved: string;
}

/** Whether a sentence takes an approving verdict back, or says what cannot stand beside one. */
export type FindRetraction = (text: string) => boolean;

/** What is said of another time, or of another case than the one judged. */
const OTHER_TIME =
  /\b(?:earlier|previous(?:ly)?|before|former(?:ly)?|at first|first (?:time|round|run|attempt|try|version)|last (?:time|round|run|attempt)|initial(?:ly)?|original(?:ly)?|old|prior|used to|(?:now )?(?:fixed|resolved|repaired|corrected|solved|gone)|no longer|any ?more|now pass(?:es|ing)?|pass(?:es|ed)? now|without|baseline|stash(?:ed)?|expected(?:ly)?|as (?:it|they) should|on purpose|intended|by design|deliberate(?:ly)?|mutat\w+)\b/i;
/** What is said as a condition only. */
const CONDITION = /\b(?:would|could|might|if|unless|until|when(?:ever)?|in case)\b|\?$/i;
const SKIPPED = /\b(?:skip(?:ped|s)?|ignored|todo|pending|disabled|deselected|flaky|xfail\w*)\b/i;

const END = String
  .raw`(?=\s*(?:$|[,;:)\]/–—-]|(?:and|but|in|of|out|with|after|on|because|since|as|due|now|again|here|so|today)\b))`;
const STOP = String
  .raw`(?=\s*(?:$|[,;:)\]–—-]|(?:and|but|because|since|as|now|again|here|so|please|instead|after all)\b))`;
const NONE_OF = "(?<!\\b(?:0|no|none|zero|neither|not one|not any) (?:out )?of (?:the |these |those |all )?)";
const COUNTED = NONE_OF +
  "(?<![\\w.#-])(?:[1-9]\\d{0,6}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|several|many|most|all)";
const UNIT =
  "(?:tests?|checks?|specs?|(?:test )?suites?|(?:test )?cases?|assertions?|examples?|scenarios?|steps?|criteri(?:a|on)|" +
  "builds?|compilation|type ?check|lint(?:er)?|of (?:them|these|those|it))";
const ADJECTIVES =
  "(?:(?:out )?of (?:the )?|[1-9]\\d{0,6} |unit |integration |e2e |end-to-end |regression |other |new |existing |more |remaining |last |own )";
const HELPERS =
  "(?:have |has |did |do |does |is |are |were |was |still |now |all |also |even |just |again |been |really |actually )";
const FAILED =
  "(?:failed|failing|fails?|failures?|errored|broken|red|crash(?:ed|es|ing)?|time[ds]? out|not (?:pass|passed|passing|work|working|green))";
const WRONG =
  "(?:wrong|incorrect|false|premature|mistaken|(?:a |my )?mistake|in error|an error|untrue|(?:a )?lie|(?:a )?joke|invalid|unjustified|" +
  "unfounded|unwarranted|undeserved|withdrawn|retracted|revoked|rescinded|reversed|overturned|overruled|cancell?ed|superseded|misleading|bogus|" +
  "off the table|(?:given |stated |made |written |issued |set |said )?(?:in error|by mistake|wrongly|hastily|prematurely)|too early|inaccurate|no good|meaningless|nonsense|obsolete)";
const RIGHT =
  "(?:true|right|correct|valid|justified|warranted|deserved|accurate|real|serious|meant|what i mean[t]?|my verdict|the case|final|" +
  "earned|reliable|honest|to be (?:trusted|believed|taken|relied))";
const FILLERS =
  "(?:in fact |actually |clearly |plainly |simply |now |hereby |therefore |thus |quite |really |just |also |of course |sadly |completely |obviously )";
const SPOKEN = "(?:verdict|result|approval|conclusion|judge?ment|decision|assessment)";

/** How many of how many passed. */
const RATIO =
  /(?<![\w./-])(\d{1,7})(?: ?\/ ?| (?:out )?of (?:the )?)(\d{1,7}) (?:\p{L}{1,12} ){0,3}(?:pass|passed|passing|succeed(?:s|ed)?|green|ok)\b/iu;

/**
 * Makes the search for what takes an approving verdict back in words: "Correction: FAIL", "PASS is wrong", "I take that
 * back", or that cannot be beside one: "0 passed, 5 failed". What is said of another time, or as a condition, is neither:
 * "the earlier FAIL is fixed".
 *
 * It errs on the side of a retraction, as the search for a refusal does.
 */
export function createFindRetraction(words: RetractionWords): FindRetraction {
  const takenBack = takenBackIn(words);
  const { failing, stuck } = failuresIn();
  const loudOnly = refusalsIn(words);
  const denied = new RegExp(
    `(?:\\b(?:0|no|not|none|never|nor|neither|without|zero|instead of|rather than|0 of \\d+) (?:\\p{L}{1,12} ){0,2})(?=${words.loud})`,
    "iu",
  );
  const says = (sentence: string): boolean => {
    if (
      takenBack.some((one) => one.test(sentence)) &&
      !/\b(?:if|unless|would|nobody|nothing|no need)\b/i.test(sentence)
    ) return true;
    if (OTHER_TIME.test(sentence)) return false;
    const [, passed, all] = RATIO.exec(sentence) ?? [];
    if (passed !== undefined && Number(passed) < Number(all) && !SKIPPED.test(sentence)) return true;
    if (failing.some((one) => one.test(sentence))) return true;
    if (CONDITION.test(sentence)) return false;
    return stuck.some((one) => one.test(sentence)) ||
      !denied.test(sentence) && loudOnly.some((one) => one.test(sentence));
  };
  return (text) => sentencesOf(text).some(says);
}

function patterns(...parts: readonly string[]): readonly RegExp[] {
  return parts.map((part) => new RegExp(part, "iu"));
}

function takenBackIn({ loud, anyCase, approved }: RetractionWords): readonly RegExp[] {
  const yes = `(?:${approved}\\p{L}{0,3})`;
  const matter =
    `(?:(?:(?:my|the|this|that|its?|your) )?(?:\\p{L}{1,12} ){0,2}(?:${yes}|${SPOKEN})|the above|everything (?:above|i said))`;
  const no = `(?:${loud}|(?:${anyCase}))`;
  return patterns(
    String
      .raw`\b(?:take|taking|took) (?:that|this|it|everything|all of (?:that|this|it)|my words|${matter}) back\b`,
    String.raw`\b(?:take|taking) back (?:that|this|it|what|my|the)\b`,
    String.raw`\b(?:withdraw|retract|revoke|rescind|recant)(?:ing)? (?:(?:that|this|it|myself)${STOP}|${matter})`,
    String
      .raw`^[^\p{L}\p{N}]*(?:(?:please|i|so|just|now|but|and|must|you)[, ]+){0,3}(?:scratch|strike|forget|ignore|disregard|undo) (?:(?:that|this|it)${STOP}|${matter})`,
    String
      .raw`\b(?:reverse|overturn|cancel|annul|void|correct|change|revise|reconsider|undo|scratch|strike|forget|ignore|disregard|discard|dismiss|` +
      `distrust|drop|delete|replace|override|reject)(?:ing)? (?:${matter}|my mind)`,
    `\\b(?:${yes}|verdict) is ${FILLERS}{0,4}(?:null|void|dead|over|not mine)\\b`,
    String
      .raw`\b(?:do not|don['’]t|never|no longer|cannot|can['’]t) (?:trust|believe|count|use|accept|take|rely on|stand by|support|endorse) (?:(?:that|this|it)${STOP}|${matter})`,
    String
      .raw`\b(?:on (?:second thoughts?|reflection|reconsideration)|never ?mind|just kidding|changed my mind|spoke too soon|misspoke|my (?:bad|mistake)|i lied|i made (?:that|it) up)\b`,
    String
      .raw`\bi (?:was|am) (?:${FILLERS}){0,5}(?:wrong|mistaken|lying|joking|not sure|unsure|in error|too (?:hasty|quick|fast|early))\b`,
    `^(?:[\\p{L}'’]{1,9}[, ]+){0,3}(?:that|this|it)(?: is|['’]s| was) ${FILLERS}{0,4}${WRONG}${STOP}`,
    `^(?:[\\p{L}'’]{1,9}[, ]+){0,3}(?:that|this|it)(?: is|['’]s| was)(?: not|n['’]t) ${FILLERS}{0,4}(?:a |an |the )?(?:${RIGHT}|${yes})${STOP}`,
    `\\b${matter}[^\\p{L}]{1,5}(?:[\\p{L}]{1,8} ){0,3}(?:is|are|was|were|seems|looks|['’]s|turned out(?: to be)?|(?:must|should|may|might|has to|needs to|can) be|has been)` +
      ` ${FILLERS}{0,4}(?:a |an |my )?${WRONG}\\b`,
    `\\b${matter}[^\\p{L}]{1,5}(?:[\\p{L}]{1,8} ){0,3}(?:is|are|was|were|does|do|did|can|could|should|must|may)(?: not|n['’]t|not| no longer) ${FILLERS}{0,4}` +
      `(?:be )?(?:a |an |the )?(?:${RIGHT}|stand|hold|count|apply|mean|trust\\p{L}*|believ\\p{L}*)`,
    `\\b(?:wrong|incorrect|false|premature|invalid|bogus|mistaken|unjustified) (?:${yes}|${SPOKEN})${STOP}`,
    `\\bnot (?:a |an |to be |really a )?${yes}${STOP}`,
    String
      .raw`\b(?:(?:do|does|did|is|are|was|were|has|have|can|could|should|must|will|may|would)(?: not| never)|\p{L}{2,6}n['’]t|can['’]t|cannot) ` +
      `${FILLERS}{0,4}(?:be |been |a |an |all |yet |fully |call (?:it|this) a? ?|give (?:it|this) a? ?){0,3}${yes}${STOP}`,
    `^[^\\p{L}\\p{N}]*(?:correction|corrected|edit(?:ed)?|update[d]?|errat(?:um|a)|amend(?:ment|ed)|actually|wait|sorry|nope|no(?=[,.:!–—-])|oops|whoops|hmm|in (?:fact|truth|reality)|` +
      `truth|honestly|p\\.?s\\.?|instead|on second look|looking again|after all|make (?:it|that)|make that a|real(?:ly)?)\\b[^\\p{L}\\p{N}]{1,10}` +
      `[^\\n]{0,80}?(?<!\\b(?:not|no|never) (?:a )?)(?<![\\p{L}\\p{N}])${no}${STOP}`,
    `\\b(?:should|must|ought to|needs? to|has to|have to|shall|will)(?: (?:have been|be|read|say|count as|become|get|state|is))+ (?:(?:a|an|the|considered|counted as|treated as|marked) )*["'“]?${no}${END}`,
    `\\b(?:i|we|please|and|so|to|it) (?:now |hereby |rather |really |must |should |have to ){0,5}(?:call|mark|treat|count|consider|rate|judge|grade|make|change|set|state|say|give|vote)(?:s|ed)? ` +
      `(?:(?:it|this|that|the|my|work|change|verdict|result|to|as|for|a|an|is|from|into|${yes}) ){0,6}["'“]?${no}${STOP}`,
    String
      .raw`\b(?:scratch|strike|forget|ignore|disregard|discard)(?:ing)? (?:the |my |this |that )?(?:last |previous |above |first )?(?:lines?|words?|sentence|message|response|report|text|what (?:i|is|was) \p{L}{2,8})(?: above| before)?${STOP}`,
    String.raw`^[^\p{L}\p{N}]*(?:(?:i|we) )?(?:hereby )?(?:retract|withdraw|recant)(?:ed|n)?${STOP}`,
    `\\b${matter} (?:now |hereby |is ){0,5}(?:withdrawn|retracted|revoked|rescinded|reversed|overturned)\\b`,
    String.raw`\b(?:the|exact|very) opposite (?:is|of (?:that|this|it|the|my|what))\b`,
    `^[^\\p{L}\\p{N}]*(?:${SPOKEN}|outcome) ?[:=] ?${no}${STOP}`,
  );
}

/** What failed, by its count; and what is said to fail without one. */
function failuresIn(): { readonly failing: readonly RegExp[]; readonly stuck: readonly RegExp[] } {
  const failing = patterns(
    `${COUNTED} (?:failing|failed|broken|red) ${UNIT}${END}`,
    `\\b(?:passed|passing|tests?|ran|suites?|results?)\\b[^\\n]{0,40}[^\\p{L}\\p{N}]${COUNTED} errors?${END}`,
    "\\b(?:failing tests?|tests? failed|failed tests?|errors?) ?[:=] ?[1-9]",
    `\\b(?:failed|failures?|failing) [1-9]\\d{0,6}${STOP}`,
    `${COUNTED} ${ADJECTIVES}{0,4}(?:${UNIT} )?${HELPERS}{0,4}${FAILED}${END}`,
    `${NONE_OF}(?<![\\w.#-])(?:1|one|some|every|each|both|the|these|those|my|few|(?:at least|only|just) \\p{L}{1,6}) ${ADJECTIVES}{0,4}${UNIT} ${HELPERS}{0,4}${FAILED}${END}`,
    `(?<![\\w.#-])1 (?:failed|failing|failures?)${END}`,
    "\\b(?:failures?|failed|fail|failing)\\b ?[:=] ?[1-9]",
    "^[^\\p{L}\\p{N}]{0,4}(?:failures?|failed|fail|failing) [1-9]\\d{0,6}\\b(?! ?%? ?(?:of|and)? ?\\p{L}{3})",
    "^[^\\p{L}\\p{N}]{0,4}not ok \\d",
    `(?<![\\w.,/-])(?:0|no|none|zero|nothing|not (?:one|a single|all|every(?:thing)?|any))(?:\\/| )(?:(?:out )?of )?(?:the )?(?:\\d{1,7} )?${ADJECTIVES}{0,4}(?:${UNIT} )?${HELPERS}{0,4}` +
      `(?:pass|passes|passed|passing|succeed(?:s|ed)?|green|worked|works)${END}`,
    "\\b(?:passed|passes|passing|pass) ?[:=] ?0(?![\\d.])",
  );
  const stuck = patterns(
    `\\b(?:tests?|checks?|specs?|suites?|builds?|everything|it|they|work) ${HELPERS}{0,4}(?:still |all )(?:${FAILED}|broken|does not work|doesn['’]t work)${STOP}`,
    `^(?:[-*+] )?(?:the )?(?:test )?(?:suite|tests?|builds?|everything|all|it|they|this) (?:is |are |still |now |all ){0,5}(?:failed|failing|fails?|broken|red|(?:does not|do not|doesn['’]t|don['’]t) work)${STOP}`,
    "^error: (?:test|build|compil)",
  );
  return { failing, stuck };
}

function refusalsIn({ loud }: RetractionWords): readonly RegExp[] {
  return [
    // Correction: FAIL; Login test -> FAIL
    `^[^\\n]{0,60}?[:=→⇒➜>–—|-][^\\p{L}\\p{N}\\n]{0,12}${loud}(?=\\s*(?:$|[,.;!(\\[–—|-]|because\\b|since\\b))`,
    // FAIL: the second test; FAILED tests/login.test.ts
    `^[^\\p{L}\\p{N}]{0,20}${loud}(?=\\s*(?:$|[,.;:!(\\[–—|-]|(?:because|since|as|for|due|with|it|the|this)\\b|\\S{0,80}(?:/|::|\\.\\p{L})))`,
    `\\b(?:is|are|be|was|were|says?|said|reads?|call|mark|treat|count|consider|make|to|as|remains?|stays?|becomes?|means?|meant|gives?|deserves?|state|it|a)` +
    ` (?:a |an |the |really |actually |in fact |now |still |plainly |clearly |it |that |this |as ){0,5}["'“]?${loud}${STOP}`,
  ].map((part) => new RegExp(part, "u"));
}

/** Sentences, each with its question mark where it has one; decoration of Markdown is no part of them. */
function sentencesOf(text: string): readonly string[] {
  return text.replaceAll(/[*`"“”]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, "").split(
    /\n|(?<=[^\W\d])[.!](?=\s|$)|(?<=\?)(?=\s)/u,
  )
    .map((sentence) => sentence.trim().replaceAll(/[ \t]+/g, " ")).filter((sentence) => sentence !== "");
}
