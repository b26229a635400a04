// Starts a fresh clone, needing only Node 20 and npm: installs packages, builds the console and starts the server.

import { spawn } from "node:child_process";
import { createHash, randomInt } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = path.dirname(fileURLToPath(import.meta.url));
const MODULES = path.join(ROOT, "node_modules");
const BUILD_STAMP = path.join(ROOT, ".cache", "console-build");
const OLDEST_NODE = 20;
/** Read at once, because the parent may have ended by the time packages are installed and the console is built. */
const PARENT = process.ppid;

/** An error whose message is shown to users without a stack trace. */
export class UserError extends Error {}

/** Path of the Node version that the lockfile pins. This file may run on an older one. */
export function pinnedNode() {
  const node = path.join(MODULES, ".bin", process.platform === "win32" ? "node.cmd" : "node");
  if (existsSync(node)) return node;
  throw new UserError(
    `npm did not install Node for ${process.platform} ${process.arch}. See optionalDependencies in package.json`,
  );
}

export function checkNode() {
  const major = Number(process.versions.node.split(".")[0]);
  if (major < OLDEST_NODE)
    throw new UserError(`Node ${OLDEST_NODE} or newer is required. This is ${process.versions.node}`);
}

/** Runs a program in the foreground and returns its exit code, or 1 if a signal ended it. */
export function run(program, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd: ROOT, stdio: "inherit", ...options });
    child.on("error", (error) => reject(new UserError(`${program} cannot be started: ${error.message}`)));
    child.on("exit", (code, signal) => resolve(signal === null ? (code ?? 1) : 1));
  });
}

/** Installs the packages in the lockfile, unless they are installed already. */
export async function install() {
  if (isInstalled()) return;
  console.log("Installing packages (once, and after the lockfile changes) …");
  const npm = npmCommand();
  const args = ["ci", "--include=dev", "--include=optional", "--no-audit", "--no-fund", "--loglevel=error"];
  const code = await run(npm.program, [...npm.args, ...args], npm.options);
  if (code !== 0) throw new UserError("npm ci failed. See the messages above");
  pinnedNode();
}

/** Compares the lockfile with the list of installed packages that npm keeps in node_modules. */
function isInstalled() {
  const wanted = readJson(path.join(ROOT, "package-lock.json"))?.packages ?? {};
  const present = readJson(path.join(MODULES, ".package-lock.json"))?.packages;
  if (present === undefined) return false;
  return Object.entries(wanted).every(([place, { version, link, optional, devOptional }]) => {
    if (place === "" || !place.startsWith("node_modules/")) return true;
    if (link === true) return present[place]?.link === true && existsSync(path.join(ROOT, place));
    const found = present[place];
    // Optional packages of other platforms may be missing.
    if (found === undefined) return optional === true || devOptional === true;
    return found.version === version && existsSync(path.join(ROOT, place, "package.json"));
  });
}

function npmCommand() {
  const script = process.env.npm_execpath;
  if (script !== undefined && /\.c?js$/.test(script)) return { program: process.execPath, args: [script], options: {} };
  return { program: "npm", args: [], options: { shell: process.platform === "win32" } };
}

/** Builds the console if its sources have changed since the last build. */
export async function buildConsole() {
  const state = hashOf(["console", "contract", "package-lock.json", "tsconfig.base.json"]);
  const isBuilt = existsSync(path.join(ROOT, "console", "dist", "index.html"));
  if (isBuilt && existsSync(BUILD_STAMP) && readFileSync(BUILD_STAMP, "utf8") === state) return;
  console.log("Building the console …");
  rmSync(BUILD_STAMP, { force: true });
  const vite = path.join(MODULES, "vite", "bin", "vite.js");
  const code = await run(pinnedNode(), [vite, "build", "--logLevel", "warn"], { cwd: path.join(ROOT, "console") });
  if (code !== 0) throw new UserError("The console could not be built. See the messages above");
  mkdirSync(path.dirname(BUILD_STAMP), { recursive: true });
  writeFileSync(BUILD_STAMP, state);
}

function hashOf(places) {
  const hash = createHash("sha256");
  const visit = (place) => {
    const file = path.join(ROOT, place);
    const entries = readEntries(file);
    if (entries === null) hash.update(`${place}\0`).update(readFileSync(file)).update("\0");
    else {
      const kept = entries.filter((name) => name !== "dist" && name !== "node_modules" && !/\.test\.tsx?$/.test(name));
      for (const name of kept.sort()) visit(path.join(place, name));
    }
  };
  for (const place of places) visit(place);
  return hash.digest("hex");
}

function readEntries(file) {
  try {
    return readdirSync(file);
  } catch (error) {
    if (error.code === "ENOTDIR") return null;
    throw error;
  }
}

function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

/** Throws UserError if a port is occupied or forbidden, before anything is installed or built. */
async function checkPorts(env) {
  const host = hostOf(env);
  const wanted = [["PORT", env.PORT || "8080"]];
  if (!env.MQTT_URL) wanted.push(["MQTT_PORT", env.MQTT_PORT || "1883"]);
  for (const [name, port] of wanted) {
    const problem = await tryPort(Number(port), host);
    // Browsers try IPv6 first, so another program on ::1 would answer at the printed localhost URL.
    const isPrinted = name === "PORT" && !env.PUBLIC_URL && /^(0\.0\.0\.0$|127\.)/.test(host);
    const taken = problem ?? (isPrinted ? await tryPort(Number(port), "::1") : null);
    if (taken === "EADDRINUSE") {
      throw new UserError(
        `${name} ${port} is already in use on ${problem === null ? "::1" : host}: stop the program that uses it, or choose another port: ${name}=${Number(port) + 1} npm start`,
      );
    }
    if (problem === "EACCES")
      throw new UserError(`You don't have permission to open ${name} ${port}. Choose a ${name} above 1023`);
  }
}

/**
 * Configures a simulated VPN server for the demo on free ports. Returns undefined if other machines can open the demo, because
 * their browsers would resolve *.localhost to themselves.
 */
async function simulatedVpn(env) {
  const isForOthers = env.DEMO_OPEN === "on" || !/^(localhost|127\.[\d.]+|\[::1\])$/.test(hostIn(env.PUBLIC_URL));
  if (isForOthers) return undefined;
  const [management, pages] = [await freePort(), await freePort()];
  const demo = { id: "demo", name: "Demo VPN" };
  return JSON.stringify([
    { ...demo, management: `simulated://127.0.0.1:${management}`, baseUrl: `http://vpn.localhost:${pages}` },
  ]);
}

async function addDemoVpn(env) {
  const servers = env.DEMO === "on" && env.VPN_SERVERS === undefined ? await simulatedVpn(env) : undefined;
  if (servers !== undefined) env.VPN_SERVERS = servers;
}

/** Returns the host of a URL, or localhost if it is missing or invalid. The server reports invalid URLs. */
function hostIn(url) {
  try {
    return new URL(url ?? "http://localhost").hostname;
  } catch {
    return "localhost";
  }
}

/** Finds a free port outside the ephemeral range, so that no other connection takes it before the demo does. */
async function freePort() {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    if ((await tryPort(port, "127.0.0.1")) === null) return port;
  }
}

function hostOf({ HOST, DEMO, DEMO_OPEN }) {
  if (DEMO === "off" || DEMO_OPEN === "on") return HOST || "0.0.0.0";
  return HOST && /^(localhost|::1|127\.[\d.]+)$/i.test(HOST) ? HOST : "127.0.0.1";
}

function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", (error) => resolve(error.code));
    try {
      server.listen(port, host, () => server.close(() => resolve(null)));
    } catch {
      // The port is invalid. The server reports that with a better message.
      resolve(null);
    }
  });
}

/**
 * Starts the programs and forwards signals. If one ends, stops the others. Resolves to the first exit code once all have ended.
 */
function supervise(programs) {
  return new Promise((resolve) => {
    let running = programs.length;
    let result = null;
    const children = programs.map(([program, args, options]) => spawn(program, args, { stdio: "inherit", ...options }));
    const tell = (signal) => {
      for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    };
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => tell(signal));
    // If npm is killed, it can't forward the signal. So detect the lost parent by polling and stop the server.
    const watch = setInterval(() => process.ppid !== PARENT && tell("SIGTERM"), 250);
    if (process.env.npm_lifecycle_event === undefined) clearInterval(watch);
    for (const child of children) {
      child.on("error", (error) => console.error(error.message));
      child.on("close", (code, signal) => {
        result ??= signal === null ? (code ?? 1) : 1;
        running -= 1;
        if (running === 0) resolve(result);
        else tell("SIGTERM");
      });
    }
  });
}

async function main() {
  checkNode();
  if (process.argv.includes("--build")) {
    await install();
    await buildConsole();
    return 0;
  }
  const dev = process.argv.includes("--dev");
  const env = { ...process.env, DEMO: process.env.DEMO || "on" };
  // In development, users open Vite's URL.
  if (dev) env.PUBLIC_URL ||= "http://localhost:5173";
  await checkPorts(env);
  await install();
  const node = pinnedNode();
  const server = path.join(ROOT, "server", "src", "main.ts");
  if (!dev) {
    await buildConsole();
    await addDemoVpn(env);
    // The server exits when this channel closes, for example because this process was killed (see its main.ts).
    return supervise([[node, [server], { cwd: ROOT, env, stdio: ["inherit", "inherit", "inherit", "ipc"] }]]);
  }
  const vite = path.join(MODULES, "vite", "bin", "vite.js");
  await addDemoVpn(env);
  return supervise([
    [node, ["--watch", "--watch-preserve-output", server], { cwd: ROOT, env }],
    [node, [vite], { cwd: path.join(ROOT, "console"), env }],
  ]);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  main().then(
    (code) => process.exit(code),
    (error) => {
      console.error(error instanceof UserError ? error.message : error);
      process.exit(1);
    },
  );
}
