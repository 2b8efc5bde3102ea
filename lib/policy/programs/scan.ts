import { type ShellWord, wordStart } from "../../shell/mod.ts";
import type { ProgramTable } from "./tables.ts";
import type { Operand, OptionSpec, Use } from "./use.ts";

export function usesBy(table: ProgramTable, words: readonly ShellWord[]): readonly Use[] {
  return new Scan(table, words).uses();
}

class Scan {
  readonly #found: Use[] = [];
  readonly #options = new Set<string>();
  readonly #values = new Map<string, Operand[]>();
  #specs: readonly OptionSpec[];

  constructor(readonly table: ProgramTable, readonly words: readonly ShellWord[]) {
    this.#specs = table.options;
  }

  uses(): readonly Use[] {
    const { table, words } = this;
    const operands: Operand[] = [];
    let only = false;
    for (let at = 1; at < words.length; at++) {
      const word = words[at] as ShellWord;
      const text = wordStart(word);
      if (only || text === "-" || (text !== "" && !text.startsWith("-")) || word.value === "") {
        operands.push({ word, at });
        if (operands.length === 1 && table.subcommandOptions !== undefined) this.#enter(word.value);
        if (table.optionsFirst) only = true;
      } else if (text === "") {
        // An expansion may be anything, also an option.
        if (this.#specs.some(({ kind }) => kind === "runs" || kind === "writes" || kind === "empties")) {
          this.#found.push({ kind: "unknown", at, length: 0, word });
        }
        operands.push({ word, at });
      } else if (text === "--") only = true;
      else at = this.#option(text, at);
    }
    const given = { options: this.#options, values: this.#values };
    return [...this.#found, ...table.operands(operands, given)];
  }

  #enter(name: string | undefined): void {
    const { subcommandOptions: subcommands, globalsFirst, options } = this.table;
    const own = subcommands?.get(name ?? "*") ?? subcommands?.get("*") ?? [];
    this.#specs = [...own, ...(globalsFirst ? [] : options)];
  }

  #option(text: string, at: number): number {
    const [name = ""] = text.split("=", 1);
    const value = name === text ? undefined : text.slice(name.length + 1);
    const other = this.table.otherNames(name).map((one) => this.#long(one)).find((one) => one !== undefined);
    const isLong = text.startsWith("--") || this.table.words === true;
    const spec = other ?? (isLong ? this.#long(name) : undefined);
    if (spec !== undefined || isLong) this.#options.add(spec?.name ?? name);
    if (spec !== undefined) return this.#take(spec, { at, length: name.length, value });
    if (isLong) {
      this.#noteAbbreviated(name, { at, value });
      this.#notePath(value, at);
      return at;
    }
    const before = this.#found.length;
    for (let index = 1; index < text.length; index++) {
      const name = `-${text[index]}`;
      const spec = this.#specs.find((one) => one.name === name);
      this.#options.add(name);
      if (spec === undefined) continue;
      const rest = text.slice(index + 1);
      if (spec.takes > 0) return this.#take(spec, { at, length: index + 1, value: rest === "" ? undefined : rest });
      this.#take(spec, { at, length: index + 1, value: undefined });
    }
    if (this.#found.length === before && /^-\w[/~.]/.test(text)) this.#notePath(text.slice(2), at);
    return at;
  }

  /** Notes the value of an option that is in no table: it may be the path of a file that is read, or even written. */
  #notePath(value: string | undefined, at: number): void {
    const word = this.words[at];
    if (value === undefined || word === undefined || !isLiteral(word) || /\s/.test(value)) return;
    const path = value.replace(/^[a-z_-]+:(?=[./~])/, "");
    const kind = /^(?:\/|~|\.\.(?:\/|$))|\/\.\.(?:\/|$)/.test(path) ? "reads" : "touches";
    this.#found.push({ kind, at, length: wordStart(word).length, word, path });
  }

  /** Notes what may be the value of an option that is not written out; it may as well be an operand. */
  #noteAbbreviated(name: string, { at, value }: { readonly at: number; readonly value: string | undefined }): void {
    const spec = this.#specs.find((one) => one.kind === "valued" && name.length > 2 && one.name.startsWith(name));
    const word = value === undefined ? this.words[at + 1] : this.words[at];
    if (spec === undefined || spec.takes === 0 || word === undefined) return;
    this.#options.add(spec.name);
    this.#values.set(spec.name, [...this.#values.get(spec.name) ?? [], { word, at }]);
  }

  #long(name: string): OptionSpec | undefined {
    const spelled = this.table.words && name.startsWith("--") ? name.slice(1) : name;
    const exact = this.#specs.find((spec) => spec.name === spelled);
    if (exact !== undefined || this.table.words || name.length < 3) return exact;
    return this.#specs.find((spec) => spec.kind !== "valued" && spec.name.startsWith(name));
  }

  #take(
    spec: OptionSpec,
    given: { readonly at: number; readonly length: number; readonly value: string | undefined },
  ): number {
    const { at, length, value } = given;
    const next = this.words[at + spec.takes];
    const separate = spec.takes > 0 && value === undefined;
    const word = (separate ? next : this.words[at]) ?? (this.words[at] as ShellWord);
    const known = separate ? next?.value : isLiteral(this.words[at]) ? value : undefined;
    if (spec.takes > 0) this.#values.set(spec.name, [...this.#values.get(spec.name) ?? [], { word, at }]);
    const harmless = spec.harmless !== undefined && known !== undefined && spec.harmless.test(known);
    const kind = spec.kind === "empties" && harmless ? "writes" : spec.kind;
    if (kind !== "valued" && (!harmless || kind !== spec.kind)) {
      // "html:../x"
      const file = known?.replace(/^(?:[a-z_-]+:(?=[./~])|(?:html|xml|json|lcov|annotate|markdown):)/, "");
      const path = file === undefined || (separate ? file === known : value === undefined) ? {} : { path: file };
      this.#found.push({ kind, at, length, word, ...path });
    }
    // What may be an option is looked at as one, too.
    return separate && !(next !== undefined && wordStart(next).startsWith("-")) ? at + spec.takes : at;
  }
}

function isLiteral(word: ShellWord | undefined): boolean {
  return word?.value !== undefined || (word?.parts.length === 1 && word.parts[0]?.type === "literal");
}
