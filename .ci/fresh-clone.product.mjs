// Clones the repository, runs `npm start` in the clone and observes its output, health and processes.

import { spawn, spawnSync } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { setTimeout as delay } from "node:timers/promises";

/** The only inherited environment variables: those needed to reach the npm registry. */
const NETWORK = /^(https?_proxy|no_proxy|all_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|npm_config_registry)$/i;
const UNTRACKED = new Set(["node_modules", "data", ".cache", "dist", ".git", "test-results"]);

/** PATH without the folders that npm adds, so that the clone starts with the system's Node. */
export function systemPath() {
  const entries = (process.env.PATH ?? "").split(path.delimiter);
  return entries.filter((entry) => entry !== "" && !entry.includes("node_modules")).join(path.delimiter);
}

/** Clones the last commit, or copies the tree if it isn't a repository. Returns a description of what was done. */
export function cloneInto(root, folder) {
  const git = (...args) => spawnSync("git", ["-c", "safe.directory=*", ...args], { cwd: root, encoding: "utf8" });
  if (existsSync(path.join(root, ".git")) && git("clone", "--quiet", "--no-local", root, folder).status === 0) {
    const commit = git("rev-parse", "--short", "HEAD").stdout.trim();
    const dirty = git("status", "--porcelain").stdout.trim() !== "";
    return `clone of commit ${commit}${dirty ? "; what is not committed is not in it" : ""}`;
  }
  cpSync(root, folder, { recursive: true, filter: (file) => file === root || !UNTRACKED.has(path.basename(file)) });
  return "copy of the tree, which is no git repository";
}

/**
 * Installed packages and the built console, which can be linked into the clone. Otherwise `npm start` installs and builds them.
 */
export const LINKED_PATHS = ["node_modules", "console/dist", ".cache/console-build"];

export function linkInto(clone, root) {
  for (const one of LINKED_PATHS) {
    const to = path.join(clone, one);
    mkdirSync(path.dirname(to), { recursive: true });
    if (spawnSync("cp", ["-al", path.join(root, one), to]).status === 0) console.log(`${one} is linked`);
    else rmSync(to, { recursive: true, force: true });
  }
}

/** Environment of a new user, with the system's Node and an empty home and npm cache. */
export function newUserEnv(place, env) {
  const network = Object.entries(process.env).filter(([name]) => NETWORK.test(name));
  return {
    ...Object.fromEntries(network),
    PATH: systemPath(),
    HOME: place.home,
    npm_config_cache: place.cache,
    ...env,
  };
}

/** Ports outside the ephemeral range, so that no other connection takes them while the server is down. */
export async function freePorts(count) {
  const ports = new Set();
  while (ports.size < count) {
    const port = 20_000 + randomInt(10_000);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

function isFree(port) {
  const server = createServer();
  return new Promise((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

/** Opens the printed URL in a browser and signs in with the first `tried` of `count` printed logins. */
export function signIn(printed, count, tried = count) {
  const root = path.resolve(import.meta.dirname, "..");
  const node = path.join(root, "node_modules", ".bin", "node");
  const browser = path.join(root, ".ci", "fresh-clone.browser.mjs");
  const { status, stderr } = spawnSync(node, [browser, String(count), String(tried)], {
    input: printed,
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`${stderr.trim()}; it printed: ${printed.slice(-2_000)}`);
}

export class Product {
  static all = [];
  output = "";
  exitCode = null;
  exitSignal = null;
  #child;
  #repo;
  #exited;

  constructor(place, user, env) {
    this.#repo = realpathSync(place.repo);
    this.#child = spawn("npm", ["start"], {
      ...user,
      cwd: place.repo,
      env: newUserEnv(place, env),
      // A separate process group, as a shell would create.
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream.setEncoding("utf8").on("data", (text) => (this.output += text));
    }
    this.#exited = once(this.#child, "exit").then(([code, signal]) => {
      this.exitCode = code;
      this.exitSignal = signal;
    });
    Product.all.push(this);
  }

  get #running() {
    return this.exitCode === null && this.exitSignal === null;
  }

  async #until(what, limitMs, title) {
    const deadline = Date.now() + limitMs;
    for (;;) {
      const answer = await what();
      if (answer) return answer;
      if (Date.now() > deadline)
        throw new Error(`${title} not within ${limitMs} ms; it said: ${this.output.slice(-2_000)}`);
      await delay(50);
    }
  }

  healthy(port, limitMs) {
    const ask = async () => {
      if (!this.#running)
        throw new Error(`it ended with ${this.exitCode ?? this.exitSignal}: ${this.output.slice(-2_000)}`);
      const reply = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
      return reply?.status === 200;
    };
    return this.#until(ask, limitMs, "health");
  }

  /** Resolves to the output once it contains the URL and the logins. */
  printed(limitMs) {
    const text = () => stripVTControlCharacters(this.output);
    return this.#until(() => /ready at[^]*\n\n(\{|$)/.test(text()) && text(), limitMs, "the address and the logins");
  }

  ended(limitMs) {
    return this.#until(() => !this.#running, limitMs, "the end");
  }

  /** Sends the signal to npm only, and waits until npm and all its child processes have ended. */
  async signal(name, limitMs) {
    this.#child.kill(name);
    await this.ended(limitMs);
    await this.#until(() => this.leftovers().length === 0, limitMs, "the end of every process").catch(() => undefined);
  }

  async kill() {
    try {
      process.kill(-Number(this.#child.pid), "SIGKILL");
    } catch {
      // It has already ended.
    }
    await this.#exited;
  }

  /** Kills only the process with this command line. Throws unless all other processes end as well. */
  async killOnly(command, limitMs) {
    const [pid] =
      this.leftovers()
        .find((one) => one.includes(` ${command}`))
        ?.split(" ") ?? [];
    if (pid === undefined) throw new Error(`no process ${command} among ${this.leftovers().join("; ")}`);
    process.kill(Number(pid), "SIGKILL");
    await this.#until(() => this.leftovers().length === 0, limitMs, "the end of every process");
  }

  /** Processes whose working directory is in the clone. Linux only. */
  leftovers() {
    if (process.platform !== "linux") return [];
    return readdirSync("/proc").flatMap((pid) => {
      if (!/^\d+$/.test(pid)) return [];
      try {
        if (!`${readlinkSync(`/proc/${pid}/cwd`)}/`.startsWith(`${this.#repo}/`)) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()}`];
      } catch {
        return [];
      }
    });
  }
}
