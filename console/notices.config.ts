// Writes the notices file of a build: every package that the product ships, with its license texts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";
import { ICON_PACKAGE, isIcon } from "./icons.config.ts";

const root = resolve(import.meta.dirname, "..");
/** Workspaces that run unbundled and ship with their dependencies; the console ships only what its bundle contains. */
const running = ["server", "simulator"];
/** Notices of bundled third-party code whose package doesn't include them. */
const extra = join(import.meta.dirname, "notices");

type Manifest = {
  name: string;
  version: string;
  license?: string;
  homepage?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
};

/** Vite plugin: adds `notices.txt` to the built console. */
export function notices(): Plugin {
  return {
    name: "notices",
    apply: "build",
    generateBundle(_, bundle) {
      const folders = new Set<string>();
      const assets = Object.values(bundle).flatMap((file) => (file.type === "asset" ? file.originalFileNames : []));
      for (const file of [...this.getModuleIds(), ...assets]) {
        const folder = isIcon(file) ? find(ICON_PACKAGE, root) : packageOf(file);
        if (folder !== null) folders.add(folder);
      }
      for (const workspace of running) addDependencies(join(root, workspace), folders);
      this.emitFile({ type: "asset", fileName: "notices.txt", source: noticesText(folders) });
    },
  };
}

/** The package folder of a bundled file; null for our own files. */
function packageOf(file: string): string | null {
  const path = file.replace(/^\0/, "").replace(/\?.*$/, "");
  const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
  if (found === undefined) return null;
  const folder = resolve(root, "console", found);
  return existsSync(join(folder, "package.json")) ? folder : null;
}

function addDependencies(folder: string, folders: Set<string>): void {
  const { dependencies, optionalDependencies } = readManifest(folder);
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const found = find(name, folder);
    // Packages for other platforms are neither installed nor shipped.
    if (found === null || folders.has(found)) continue;
    folders.add(found);
    addDependencies(found, folders);
  }
}

/** Resolves like Node: beside the importing package first, then in parent folders. */
function find(name: string, from: string): string | null {
  const folder = join(from, "node_modules", name);
  if (existsSync(join(folder, "package.json"))) return folder;
  return from === root || dirname(from) === from ? null : find(name, dirname(from));
}

function noticesText(folders: ReadonlySet<string>): string {
  const entries = new Map<string, string>();
  for (const folder of folders) {
    const manifest = readManifest(folder);
    if (manifest.name.startsWith("@psp/")) continue;
    const key = `${manifest.name} ${manifest.version}`;
    entries.set(key, entry(folder, manifest));
  }
  for (const file of readdirSync(extra)) entries.set(file, readFileSync(join(extra, file), "utf8").trim());
  const sorted = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  const head = `PS.Platform uses the following ${sorted.length} packages. Their authors' licenses follow.`;
  return `${[head, ...sorted].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

function entry(folder: string, manifest: Manifest): string {
  const { name, version, license = "see below", author, homepage, repository } = manifest;
  const by = typeof author === "string" ? author : author?.name;
  const source = homepage ?? (typeof repository === "string" ? repository : repository?.url);
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(licen[cs]e|copying|notice|ofl)/i.test(file.name))
    .map((file) => readFileSync(join(folder, file.name), "utf8").replaceAll("\r\n", "\n").trim());
  return [
    [`${name} ${version}`, `License: ${license}`, by && `Author: ${by}`, source && `Source: ${source}`]
      .filter(Boolean)
      .join("\n"),
    ...(texts.length === 0 ? ["The package carries no license text of its own."] : texts),
  ].join("\n\n");
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
}
