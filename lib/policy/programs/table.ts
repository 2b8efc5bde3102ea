import { type ShellWord, wordStart } from "../../shell/mod.ts";
import { present } from "../../base/schema.ts";

/**
 * What a program's options do. An option is written with its dashes, and with `=` after it where it takes a value:
 * `-o=`, `--output=`. With `==` it takes two, of which the second counts. What is not in a table is harmless.
 */
export interface OptionTable {
  /** Options that run programs or code, read settings that can, or throw work away. */
  readonly runs?: readonly string[];
  /** Options that name a file which is written. */
  readonly writes?: readonly string[];
  /** Options that name a file which is read. */
  readonly reads?: readonly string[];
  /** Options that name the folder in which it works. */
  readonly enters?: readonly string[];
  /** Options that name patterns of files which are read. */
  readonly finds?: readonly string[];
  /** Other options that take a value, so that the value is not taken for an operand or an option. */
  readonly valued?: readonly string[];
  /** Values with which an option of `runs` is harmless. */
  readonly harmless?: Readonly<Record<string, RegExp>>;
}

/** What is known of a program, or of several that are called alike. */
export interface ProgramTable extends OptionTable {
  readonly programs: RegExp;
  /** Options have one dash and a whole word: `-exec`. @default {false} */
  readonly words?: boolean;
  /** Whether running code of the project or of its words is its purpose. @default {false} */
  readonly code?: boolean;
  /** Whether options end at the first operand. @default {false} */
  readonly optionsFirst?: boolean;
  /** What differs after a subcommand; `*` is for those that are not named. */
  readonly subcommands?: Readonly<Record<string, OptionTable>>;
  /** Whether options of the program itself hold before the subcommand only. @default {false} */
  readonly globalsFirst?: boolean;
  /** Other names under which the program knows an option, as with dashes for underscores. @default {none} */
  readonly otherNames?: (name: string) => readonly string[];
  /** What its operands do. */
  readonly operands?: (operands: readonly Operand[], given: Given) => readonly Use[];
}

/** A word that is neither an option nor the value of one. */
export interface Operand {
  readonly word: ShellWord;
  /** Its place in the command's words. */
  readonly at: number;
}

/** What stands besides the operands. */
export interface Given {
  /** The options, each as its table spells it or as it was written. */
  readonly options: ReadonlySet<string>;
  /** The values of options, by the options' names. */
  readonly values: ReadonlyMap<string, readonly Operand[]>;
}

/** One thing that a program does because of a word. */
export interface Use {
  /** Whether it is the program's very purpose, so that a rule for the program means it. @default {false} */
  readonly purpose?: true;
  /**
   * `touches`: it may be a path, which matters only where that is protected. `finds`: it is a pattern of names that are
   * read. `unknown`: it may be any option.
   */
  readonly kind: "runs" | "writes" | "reads" | "enters" | "touches" | "finds" | "unknown";
  /** The place of the word that asks for it. */
  readonly at: number;
  /** How much of that word names it. */
  readonly length: number;
  /** For files: the word that names it, and the path where it is a part of the word. */
  readonly word: ShellWord;
  readonly path?: string;
}

/** A use of a whole word. */
export function useOf(kind: Use["kind"], { word, at }: Operand): Use {
  return { kind, at, length: wordStart(word).length, word };
}

/** The uses of a program's words that are not harmless. */
export function usesBy(table: ProgramTable, words: readonly ShellWord[]): readonly Use[] {
  const scan = new Scan(table, words);
  return scan.uses();
}

type OptionKind = "runs" | "writes" | "reads" | "enters" | "finds" | "valued";

interface Spec {
  readonly name: string;
  readonly kind: OptionKind;
  /** How many values it takes. */
  readonly takes: 0 | 1 | 2;
  readonly harmless?: RegExp;
}

/** One pass over the words of a command. */
class Scan {
  readonly #found: Use[] = [];
  readonly #options = new Set<string>();
  readonly #values = new Map<string, Operand[]>();
  #specs: readonly Spec[];

  constructor(readonly table: ProgramTable, readonly words: readonly ShellWord[]) {
    this.#specs = specsOf(table);
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
        if (operands.length === 1 && table.subcommands !== undefined) this.#enter(word.value);
        if (table.optionsFirst === true) only = true;
      } else if (text === "") {
        // An expansion may be anything, also an option.
        if (this.#specs.some(({ kind }) => kind === "runs" || kind === "writes")) {
          this.#found.push({ kind: "unknown", at, length: 0, word });
        }
        operands.push({ word, at });
      } else if (text === "--") only = true;
      else at = this.#option(text, at);
    }
    const given = { options: this.#options, values: this.#values };
    return [...this.#found, ...(table.operands?.(operands, given) ?? [])];
  }

  #enter(name: string | undefined): void {
    const { subcommands = {}, globalsFirst = false } = this.table;
    const own = name !== undefined && Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
    this.#specs = [
      ...specsOf(own ?? subcommands["*"] ?? {}),
      ...(globalsFirst ? [] : this.#specs),
    ];
  }

  /** Reads the option at a place, and returns the place of the last word that belongs to it. */
  #option(text: string, at: number): number {
    const [written = ""] = text.split("=", 1);
    const other = this.table.otherNames?.(written).find((name) => this.#long(name) !== undefined);
    const spec = other === undefined ? undefined : this.#long(other);
    if (spec !== undefined) {
      this.#options.add(spec.name);
      const value = written === text ? undefined : text.slice(written.length + 1);
      return this.#take(spec, { at, length: written.length, value });
    }
    if (text.startsWith("--") || this.table.words === true) {
      const equals = text.indexOf("=");
      const name = equals === -1 ? text : text.slice(0, equals);
      const spec = this.#long(name);
      this.#options.add(spec?.name ?? name);
      const value = equals === -1 ? undefined : text.slice(equals + 1);
      if (spec !== undefined) return this.#take(spec, { at, length: name.length, value });
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

  /** A long option, also an abbreviation of one that is not harmless. */
  #long(name: string): Spec | undefined {
    const spelled = this.table.words === true && name.startsWith("--") ? name.slice(1) : name;
    const exact = this.#specs.find((spec) => spec.name === spelled);
    if (exact !== undefined || this.table.words === true || name.length < 3) return exact;
    return this.#specs.find((spec) => spec.kind !== "valued" && spec.name.startsWith(name));
  }

  #take(
    spec: Spec,
    given: { readonly at: number; readonly length: number; readonly value: string | undefined },
  ): number {
    const { at, length, value } = given;
    const next = this.words[at + spec.takes];
    const separate = spec.takes > 0 && value === undefined;
    const word = (separate ? next : this.words[at]) ?? (this.words[at] as ShellWord);
    const known = separate ? next?.value : isLiteral(this.words[at]) ? value : undefined;
    if (spec.takes > 0) this.#values.set(spec.name, [...this.#values.get(spec.name) ?? [], { word, at }]);
    const harmless = spec.harmless !== undefined && known !== undefined && spec.harmless.test(known);
    if (spec.kind !== "valued" && !harmless) {
      // "html:../x"
      const file = known?.replace(/^[a-z_-]+:(?=[./~])/, "");
      const path = file === undefined || (separate ? file === known : value === undefined) ? {} : { path: file };
      this.#found.push({ kind: spec.kind, at, length, word, ...path });
    }
    // What may be an option is looked at as one, too.
    return separate && !(next !== undefined && wordStart(next).startsWith("-")) ? at + spec.takes : at;
  }
}

/** Whether nothing in a word is expanded but name patterns. */
function isLiteral(word: ShellWord | undefined): boolean {
  return word?.value !== undefined || (word?.parts.length === 1 && word.parts[0]?.type === "literal");
}

function specsOf(table: OptionTable): readonly Spec[] {
  const kinds = ["runs", "writes", "reads", "enters", "finds", "valued"] as const;
  return kinds.flatMap((kind) =>
    (table[kind] ?? []).map((text): Spec => {
      const name = text.replace(/=+$/, "");
      const takes = Math.min(text.length - name.length, 2) as Spec["takes"];
      const harmless = table.harmless?.[name];
      return { name, kind, takes, ...present({ harmless }) };
    })
  );
}
