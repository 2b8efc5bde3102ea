const QUOTE = 0x22;
const BACKSLASH = 0x5c;

export function nestsDeeper(json: string, most: number): boolean {
  if (json.length <= most) return false;
  let depth = 0;
  let isString = false;
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (isString) {
      if (unit === BACKSLASH) at++;
      else if (unit === QUOTE) isString = false;
    } else if (unit === QUOTE) isString = true;
    // `[` and `{`, `]` and `}` differ by this bit.
    else if ((unit | 0x20) === 0x7b) {
      if (++depth > most) return true;
    } else if ((unit | 0x20) === 0x7d) depth--;
  }
  return false;
}
