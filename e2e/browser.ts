// Finds a Chromium for browser tests: the headless shell that is packed in an npm package, or an installed one.

import { execFile } from "node:child_process";
import { access, constants, mkdir, mkdtemp, rename, rm, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** Path of the browser, and environment variables for its libraries and fonts. */
type Found = { executablePath: string; env: Record<string, string> };

const INSTALLED = [
  "/usr/bin/chromium-headless-shell",
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/snap/bin/chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

const ARGS = [
  "--headless=new",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

const PACKED_VERSION = "153.0.0";
const SHARED_MEMORY_BYTES = 2 ** 30;

/**
 * Launch options for `CHROMIUM_PATH`, for the packed headless shell, or for an installed Chromium or Chrome. The packed one comes first,
 * because it is the same everywhere, and opens a page with a quarter of the processor time: it draws no windows around pages. It is
 * unpacked on first use (about 3 s). Throws an Error with instructions if none of them runs.
 */
export async function findChromium() {
  const { executablePath, env } = await findOne();
  // Chromium can't use its sandbox as root or without unprivileged user namespaces, as in containers.
  const args = process.platform === "linux" ? [...ARGS, "--no-sandbox"] : ARGS;
  // Playwright disables /dev/shm because containers may have too little of it. Tests then take a tenth longer.
  const ignoreDefaultArgs = (await hasSharedMemory()) ? ["--disable-dev-shm-usage"] : [];
  return { executablePath, args, ignoreDefaultArgs, env: { ...process.env, ...env } };
}

async function hasSharedMemory(): Promise<boolean> {
  return statfs("/dev/shm").then(
    ({ bavail, bsize }) => bavail * bsize >= SHARED_MEMORY_BYTES,
    () => false,
  );
}

async function findOne(): Promise<Found> {
  const wanted = process.env["CHROMIUM_PATH"];
  if (wanted !== undefined && wanted !== "") {
    if (!(await runs(wanted, {}))) throw new Error(`CHROMIUM_PATH names ${wanted}, which does not run`);
    return { executablePath: wanted, env: {} };
  }
  const packed = process.platform === "linux" && process.arch === "x64" ? await findPacked().catch(() => null) : null;
  if (packed) return packed;
  for (const executablePath of INSTALLED) {
    if (await runs(executablePath, {})) return { executablePath, env: {} };
  }
  throw new Error("No Chromium found that runs: install Chromium or Chrome, or set CHROMIUM_PATH");
}

/** Null if it does not run on this machine; rejects if it can't be unpacked. */
async function findPacked(): Promise<Found | null> {
  const folder = await cacheFolder();
  const executablePath = path.join(folder, "chromium");
  if (!(await isFile(path.join(folder, "complete")))) await unpack(folder);
  const fonts = { FONTCONFIG_PATH: path.join(folder, "fonts") };
  const libraries = { LD_LIBRARY_PATH: path.join(folder, "al2023", "lib") };
  // Prefers the libraries of the system to the packed ones.
  for (const env of [fonts, { ...fonts, ...libraries }]) {
    if (await runs(executablePath, env)) return { executablePath, env };
  }
  return null;
}

/**
 * Inside the repository if it is writable, so that the cache is deleted with `node_modules`. Never a folder that others can
 * write to.
 */
async function cacheFolder(): Promise<string> {
  const cache = path.resolve(import.meta.dirname, "../node_modules/.cache");
  try {
    await mkdir(cache, { recursive: true });
    await access(cache, constants.W_OK);
    return path.join(cache, `chromium-${PACKED_VERSION}`);
  } catch {
    return mkdtemp(path.join(tmpdir(), "psp-chromium-"));
  }
}

/**
 * The package can only unpack into the temporary folder, so that folder is redirected. The finished folder is then moved into
 * place.
 */
async function unpack(folder: string): Promise<void> {
  const { inflate } = await import("@sparticuz/chromium");
  const packed = path.resolve(import.meta.dirname, "../node_modules/@sparticuz/chromium/bin");
  await rm(folder, { recursive: true, force: true });
  await mkdir(path.dirname(folder), { recursive: true });
  const draft = await mkdtemp(`${folder}.draft-`);
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = draft;
  try {
    const archives = ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"];
    await Promise.all(archives.map((archive) => inflate(path.join(packed, archive))));
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
  await writeFile(path.join(draft, "fonts", "fonts.conf"), fontsConfig(folder));
  await writeFile(path.join(draft, "complete"), "");
  await rename(draft, folder).catch(async (error: unknown) => {
    // Another process may have moved its own folder into place first.
    await rm(draft, { recursive: true, force: true });
    if (!(await isFile(path.join(folder, "complete")))) throw error;
  });
}

/** Replaces the configuration of the package, which contains paths of other systems. */
function fontsConfig(folder: string): string {
  const escape = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  const folders = [path.join(folder, "fonts"), "/usr/share/fonts"].map((dir) => `<dir>${escape(dir)}</dir>`).join("");
  const cache = `<cachedir>${escape(path.join(folder, "fonts-cache"))}</cachedir>`;
  return `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig>${folders}${cache}</fontconfig>\n`;
}

async function runs(executablePath: string, env: Record<string, string>): Promise<boolean> {
  if (!(await isFile(executablePath))) return false;
  const options = { env: { ...process.env, ...env }, timeout: 20_000 };
  return promisify(execFile)(executablePath, ["--headless", "--no-sandbox", "--version"], options).then(
    ({ stdout }) => /Chrom/.test(stdout),
    () => false,
  );
}

async function isFile(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
