/** What an expansion `${…}` does besides giving a value. */
interface ParameterEffects {
  /** Expressions that it evaluates: a subscript, an offset, a length. */
  readonly arithmetic: readonly string[];
  /** The variable that `${NAME:=…}` sets. */
  readonly sets?: string;
  readonly unclear?: string;
}

const HARMLESS_REST = /^(?:$|:?[-+?]|%|#|\/|\^|,|@[AQUuLEKka]$)/;

/**
 * What `${…}` does besides giving a value. Only the forms that are known to be harmless have no `unclear`: `${x@P}`,
 * `${!x}` and the flags of zsh, `${(e)x}`, run text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * assertEquals(parameterEffects("${x:-y}"), { arithmetic: [] });
 * assertEquals(parameterEffects("${x:1:$n}"), { arithmetic: ["1", "$n"] });
 * assertEquals(parameterEffects("${x@P}").unclear, "the expansion ${x@P}");
 * ```
 */
export function parameterEffects(source: string): ParameterEffects {
  const inner = source.slice(2, -1);
  const unclear = { arithmetic: [], unclear: `the expansion ${source}` };
  if (/^![A-Za-z_]\w*\[[@*]\]$/.test(inner) || /^[#?$!*@-]$/.test(inner)) return { arithmetic: [] };
  const match = /^(#?)([A-Za-z_]\w*|\d+|[@*])(?:\[([^\]]*)\])?/.exec(inner);
  if (match === null) return unclear;
  const [start, length, name = "", subscript] = match;
  const rest = inner.slice(start.length);
  const arithmetic = subscript === undefined || /^[@*]?$/.test(subscript) ? [] : [subscript];
  if (length !== "") return rest === "" ? { arithmetic } : unclear;
  if (HARMLESS_REST.test(rest)) return { arithmetic };
  if (/^:?=/.test(rest)) return { arithmetic, sets: name };
  if (/^:[\s\w$(-]/.test(rest)) return { arithmetic: [...arithmetic, ...rest.slice(1).split(":")] };
  return unclear;
}
