// Writes the notices file of a build: all shipped packages with their license texts.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Plugin } from "vite";

const root = resolve(import.meta.dirname, "..");
/** Notices of shipped third-party code whose package doesn't include them. */
const extra = join(import.meta.dirname, "notices");

type Lockfile = { packages: Record<string, { dev?: boolean; link?: boolean }> };
type Manifest = {
  name: string;
  version: string;
  license?: string;
  homepage?: string;
  author?: string | { name?: string };
  repository?: string | { url?: string };
};

export function notices(): Plugin {
  return {
    name: "notices",
    apply: "build",
    generateBundle() {
      this.emitFile({ type: "asset", fileName: "notices.txt", source: noticesText() });
    },
  };
}

/** Lists all installed dependencies of all workspaces, but no development dependencies. */
function noticesText(): string {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as Lockfile;
  const entries = Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes("node_modules/") && dev !== true && link !== true)
    .map(([place]) => join(root, place))
    // Packages for other platforms are not installed.
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map(entry);
  const extras = readdirSync(extra).map((file) => readFileSync(join(extra, file), "utf8").trim());
  const sorted = [...new Set([...entries, ...extras])].toSorted();
  const head = `PS.Platform uses the following ${sorted.length} packages. Their authors' licenses follow.`;
  return `${[head, ...sorted].join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

function entry(folder: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { name, version, license = "see below", author, homepage, repository } = manifest;
  const by = typeof author === "string" ? author : author?.name;
  const source = homepage ?? (typeof repository === "string" ? repository : repository?.url);
  const head = [`${name} ${version}`, `License: ${license}`, by && `Author: ${by}`, source && `Source: ${source}`];
  const texts = readdirSync(folder, { withFileTypes: true })
    .filter((file) => file.isFile() && /^(licen[cs]e|copying|notice|ofl)/i.test(file.name))
    .map((file) => readFileSync(join(folder, file.name), "utf8").replaceAll("\r\n", "\n").trim());
  const body = texts.length === 0 ? ["The package carries no license text of its own."] : texts;
  return [head.filter(Boolean).join("\n"), ...body].join("\n\n");
}
