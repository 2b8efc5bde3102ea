/** A file system in memory, with what panewright uses of one. Paths are absolute. */

interface Node {
  readonly ino: number;
  readonly kind: "file" | "folder" | "link";
  mode: number;
  mtimeMs: number;
  ctimeMs: number;
  links: number;
  bytes: Uint8Array<ArrayBuffer>;
  size: number;
  readonly entries: Map<string, Node>;
  readonly target: string;
  readonly locks: Set<OpenFile>;
  exclusive: boolean;
}

const ENCODER = new TextEncoder();
const DECODER = new TextDecoder();

function failure(Kind: new (message: string) => Error, code: string, words: string): Error {
  return Object.assign(new Kind(words), { code });
}

const notFound = (path: string) =>
  failure(Deno.errors.NotFound, "ENOENT", `No such file or directory (os error 2): '${path}'`);
const exists = (path: string) => failure(Deno.errors.AlreadyExists, "EEXIST", `File exists (os error 17): '${path}'`);
const notAFolder = (path: string) =>
  failure(Deno.errors.NotADirectory, "ENOTDIR", `Not a directory (os error 20): '${path}'`);

/** What a full disk says. */
export function noSpace(): Error {
  return Object.assign(new Error("No space left on device (os error 28)"), { code: "ENOSPC" });
}

export class MemoryFiles {
  #nodes = 1;
  readonly #root: Node;
  readonly #open = new Set<OpenFile>();

  constructor(readonly now: () => number) {
    this.#root = this.#make("folder", 0o755);
  }

  #make(kind: Node["kind"], mode: number, target = ""): Node {
    const at = this.now();
    return {
      ...{ ino: ++this.#nodes, kind, mode, mtimeMs: at, ctimeMs: at, links: 1, size: 0, target, exclusive: false },
      ...{ bytes: new Uint8Array(), entries: new Map(), locks: new Set<OpenFile>() },
    };
  }

  /** What stands at a path, and the folder that it is in; a last link is followed where that is said. */
  #find(path: string, { follows }: { readonly follows: boolean }, depth = 0): {
    readonly folder: Node;
    readonly name: string;
    readonly node: Node | undefined;
  } {
    if (!path.startsWith("/")) throw new TypeError(`a night has no working directory: ${path}`);
    if (depth > 20) throw failure(Deno.errors.FilesystemLoop, "ELOOP", `Too many links: ${path}`);
    let folder = this.#root;
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    let above: Node[] = [];
    for (let index = 0;; index++) {
      const name = names[index];
      if (name === undefined) return { folder: above.at(-1) ?? folder, name: "", node: folder };
      if (folder.kind !== "folder") throw notAFolder(path);
      if (name === "..") {
        folder = above.at(-1) ?? this.#root;
        above = above.slice(0, -1);
        continue;
      }
      const isLast = index === names.length - 1;
      const node = folder.entries.get(name);
      if (node?.kind === "link" && (!isLast || follows)) {
        const rest = names.slice(index + 1).join("/");
        const base = names.slice(0, index).join("/");
        const target = node.target.startsWith("/") ? node.target : `/${base}/${node.target}`;
        return this.#find(`${target}${rest === "" ? "" : `/${rest}`}`, { follows }, depth + 1);
      }
      if (isLast) return { folder, name, node };
      if (node === undefined) throw notFound(path);
      above.push(folder);
      folder = node;
    }
  }

  #get(path: string, follows = true): Node {
    const { node } = this.#find(path, { follows });
    if (node === undefined) throw notFound(path);
    return node;
  }

  #touch(node: Node): void {
    node.mtimeMs = node.ctimeMs = this.now();
  }

  has(path: string): boolean {
    try {
      return this.#find(path, { follows: true }).node !== undefined;
    } catch {
      return false;
    }
  }

  stat(path: string): Deno.FileInfo {
    return infoOf(this.#get(path));
  }

  lstat(path: string): Deno.FileInfo {
    return infoOf(this.#get(path, false));
  }

  mkdir(path: string, { recursive = false, mode = 0o777 }: Deno.MkdirOptions = {}): void {
    if (recursive) {
      let so = "";
      for (const name of path.split("/").filter((each) => each !== "")) {
        so += `/${name}`;
        const { node } = this.#find(so, { follows: true });
        if (node === undefined) this.mkdir(so, { mode });
        else if (node.kind !== "folder") throw exists(so);
      }
      return;
    }
    const { folder, name, node } = this.#find(path, { follows: false });
    if (node !== undefined) throw exists(path);
    folder.entries.set(name, this.#make("folder", mode & 0o755));
    this.#touch(folder);
  }

  readDir(path: string): Deno.DirEntry[] {
    const node = this.#get(path);
    if (node.kind !== "folder") throw notAFolder(path);
    return [...node.entries].map(([name, { kind }]) => ({
      ...{ name, isFile: kind === "file", isDirectory: kind === "folder", isSymlink: kind === "link" },
    }));
  }

  remove(path: string, { recursive = false }: Deno.RemoveOptions = {}): void {
    const { folder, name, node } = this.#find(path, { follows: false });
    if (node === undefined) throw notFound(path);
    if (node.kind === "folder" && node.entries.size > 0 && !recursive) {
      throw Object.assign(new Error(`Directory not empty (os error 39): '${path}'`), { code: "ENOTEMPTY" });
    }
    folder.entries.delete(name);
    node.links--;
    node.ctimeMs = this.now();
    this.#touch(folder);
  }

  rename(from: string, to: string): void {
    const source = this.#find(from, { follows: false });
    if (source.node === undefined) throw notFound(from);
    const target = this.#find(to, { follows: false });
    if (target.node === source.node) return;
    if (target.node?.kind === "folder" && source.node.kind !== "folder") {
      throw failure(Deno.errors.IsADirectory, "EISDIR", `Is a directory (os error 21): '${to}'`);
    }
    if (target.node !== undefined) target.node.links--;
    source.folder.entries.delete(source.name);
    target.folder.entries.set(target.name, source.node);
    source.node.ctimeMs = this.now();
    this.#touch(source.folder);
    this.#touch(target.folder);
  }

  link(from: string, to: string): void {
    const node = this.#get(from, false);
    const target = this.#find(to, { follows: false });
    if (target.node !== undefined) throw exists(to);
    target.folder.entries.set(target.name, node);
    node.links++;
    this.#touch(target.folder);
  }

  symlink(target: string, path: string): void {
    const { folder, name, node } = this.#find(path, { follows: false });
    if (node !== undefined) throw exists(path);
    folder.entries.set(name, this.#make("link", 0o777, target));
  }

  readLink(path: string): string {
    const node = this.#get(path, false);
    if (node.kind !== "link") throw Object.assign(new Error(`Invalid argument (os error 22)`), { code: "EINVAL" });
    return node.target;
  }

  realPath(path: string, depth = 0): string {
    let so = "";
    const names = path.split("/").filter((name) => name !== "" && name !== ".");
    for (const [index, name] of names.entries()) {
      if (name === "..") {
        so = so.slice(0, Math.max(0, so.lastIndexOf("/")));
        continue;
      }
      const node = this.#get(`${so}/${name}`, false);
      if (node.kind === "link") {
        if (depth > 20) throw failure(Deno.errors.FilesystemLoop, "ELOOP", `Too many links: ${path}`);
        const target = node.target.startsWith("/") ? node.target : `${so}/${node.target}`;
        return this.realPath([target, ...names.slice(index + 1)].join("/"), depth + 1);
      }
      so += `/${name}`;
    }
    return so === "" ? "/" : so;
  }

  chmod(path: string, mode: number): void {
    this.#get(path).mode = mode;
  }

  open(path: string, options: Deno.OpenOptions = { read: true }): OpenFile {
    const { create = false, createNew = false, append = false, write = false, truncate = false, mode = 0o666 } =
      options;
    const found = this.#find(path, { follows: true });
    let { node } = found;
    if (node !== undefined && createNew) throw exists(path);
    if (node === undefined) {
      if (!create && !createNew) throw notFound(path);
      node = this.#make("file", mode & 0o755);
      found.folder.entries.set(found.name, node);
      this.#touch(found.folder);
    }
    if (node.kind === "folder" && (write || append)) {
      throw failure(Deno.errors.IsADirectory, "EISDIR", `Is a directory (os error 21): '${path}'`);
    }
    if (truncate) this.#resize(node, 0);
    const file = new OpenFile(this, node, { append });
    this.#open.add(file);
    return file;
  }

  #resize(node: Node, size: number): void {
    if (size > node.bytes.length) this.#grow(node, size);
    if (size < node.size) node.bytes.fill(0, size, node.size);
    node.size = size;
    this.#touch(node);
  }

  #grow(node: Node, size: number): void {
    const bytes = new Uint8Array(Math.max(256, size, node.bytes.length * 2));
    bytes.set(node.bytes.subarray(0, node.size));
    node.bytes = bytes;
  }

  put(node: Node, at: number, bytes: Uint8Array): void {
    if (at + bytes.length > node.bytes.length) this.#grow(node, at + bytes.length);
    node.bytes.set(bytes, at);
    node.size = Math.max(node.size, at + bytes.length);
    this.#touch(node);
  }

  truncate(node: Node, size: number): void {
    this.#resize(node, size);
  }

  read(path: string): Uint8Array<ArrayBuffer> {
    const node = this.#get(path);
    if (node.kind === "folder") {
      throw failure(Deno.errors.IsADirectory, "EISDIR", `Is a directory (os error 21): '${path}'`);
    }
    return node.bytes.slice(0, node.size);
  }

  text(path: string): string {
    return DECODER.decode(this.read(path));
  }

  write(path: string, data: Uint8Array | string, options: Deno.WriteFileOptions = {}): void {
    const { append = false, create = true, createNew = false, mode = 0o666 } = options;
    const file = this.open(path, { write: true, append, create, createNew, truncate: !append, mode });
    file.writeSync(typeof data === "string" ? ENCODER.encode(data) : data);
    file.close();
  }

  /** All files below a folder, with their texts. */
  *below(path: string): Generator<readonly [path: string, text: string]> {
    for (const { name, isDirectory, isFile } of this.has(path) ? this.readDir(path) : []) {
      if (isDirectory) yield* this.below(`${path}/${name}`);
      else if (isFile) yield [`${path}/${name}`, this.text(`${path}/${name}`)];
    }
  }

  forget(file: OpenFile): void {
    this.#open.delete(file);
  }

  /** Closes what is open, and lets go of what is locked, as the end of a process does. */
  closeAll(): void {
    for (const file of this.#open) file.close();
  }
}

function infoOf(node: Node): Deno.FileInfo {
  const { ino, kind, mode, mtimeMs, ctimeMs, links, size } = node;
  return {
    isFile: kind === "file",
    isDirectory: kind === "folder",
    isSymlink: kind === "link",
    size,
    mtime: new Date(mtimeMs),
    atime: new Date(mtimeMs),
    birthtime: new Date(ctimeMs),
    ctime: new Date(ctimeMs),
    ...{ dev: 1, ino, mode, nlink: links, uid: Deno.uid(), gid: 0, rdev: 0, blksize: 4096, blocks: 8 },
    ...{ isBlockDevice: false, isCharDevice: false, isFifo: false, isSocket: false },
  };
}

/** An open file, with the calls of `Deno.FsFile` that panewright makes. */
export class OpenFile implements Disposable {
  #at = 0;
  #isClosed = false;

  constructor(readonly files: MemoryFiles, readonly node: Node, readonly how: { readonly append: boolean }) {}

  #use(): Node {
    if (this.#isClosed) throw failure(Deno.errors.BadResource, "EBADF", "Bad resource ID");
    return this.node;
  }

  readSync(into: Uint8Array): number | null {
    const { bytes, size } = this.#use();
    const piece = bytes.subarray(this.#at, Math.min(size, this.#at + into.length));
    into.set(piece);
    this.#at += piece.length;
    return piece.length === 0 && into.length > 0 ? null : piece.length;
  }

  writeSync(bytes: Uint8Array): number {
    const node = this.#use();
    const at = this.how.append ? node.size : this.#at;
    this.files.put(node, at, bytes);
    this.#at = at + bytes.length;
    return bytes.length;
  }

  seekSync(offset: number, whence: Deno.SeekMode): number {
    const base = whence === Deno.SeekMode.End ? this.#use().size : whence === Deno.SeekMode.Current ? this.#at : 0;
    return this.#at = base + offset;
  }

  truncateSync(size = 0): void {
    this.files.truncate(this.#use(), size);
  }

  statSync(): Deno.FileInfo {
    return infoOf(this.#use());
  }

  syncSync(): void {
    this.#use();
  }

  tryLockSync(exclusive: boolean): boolean {
    const { locks } = this.#use();
    const others = [...locks].filter((one) => one !== this);
    if (others.length > 0 && (exclusive || this.node.exclusive)) return false;
    locks.add(this);
    this.node.exclusive = exclusive;
    return true;
  }

  unlockSync(): void {
    this.node.locks.delete(this);
  }

  close(): void {
    if (this.#isClosed) return;
    this.unlockSync();
    this.#isClosed = true;
    this.files.forget(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
