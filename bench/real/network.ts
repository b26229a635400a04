// A network of namespaces on one Linux machine: each node has an address of its own and can be cut off. Needs root.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { readFileSync } from "node:fs";

export type NodeName = string;
export type Network = Awaited<ReturnType<typeof createNetwork>>;

const keptOutput = 200_000;

function ip(...args: string[]): string {
  return execFileSync("ip", args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** The beginning of addresses that no other network of this machine has, so that several may run at once. */
function findFreePrefix(): string {
  const used = ip("-4", "addr");
  const free = Array.from({ length: 256 }, (_, n) => `10.77.${n}`).find((prefix) => !used.includes(` ${prefix}.`));
  if (free === undefined) throw new Error("No addresses are left");
  return free;
}

/** `names`: nodes, which get addresses from .11 on. This process can reach them from .1. */
export async function createNetwork(names: readonly NodeName[]) {
  const prefix = findFreePrefix();
  const tag = `psp${process.pid % 10_000}`;
  const bridge = `${tag}br`;
  const spaceOf = (name: NodeName) => `${tag}-${name}`;
  const numberOf = (name: NodeName) => names.indexOf(name) + 11;
  const linkOf = (name: NodeName) => `${tag}n${numberOf(name)}`;
  const addressOf = (name: NodeName) => `${prefix}.${numberOf(name)}`;
  const children = new Set<ChildProcess>();
  const outputs = new Map<NodeName, string>();

  function create(name: NodeName): void {
    const [space, link] = [spaceOf(name), linkOf(name)];
    ip("netns", "add", space);
    ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", space);
    ip("link", "set", link, "master", bridge, "up");
    ip("-n", space, "link", "set", "lo", "up");
    ip("-n", space, "addr", "add", `${addressOf(name)}/24`, "dev", "eth0");
    ip("-n", space, "link", "set", "eth0", "up");
  }

  function remove(): void {
    for (const name of names) tryTo(() => ip("netns", "del", spaceOf(name)));
    tryTo(() => ip("link", "del", bridge));
  }

  remove();
  ip("link", "add", bridge, "type", "bridge");
  ip("addr", "add", `${prefix}.1/24`, "dev", bridge);
  ip("link", "set", bridge, "up");
  for (const name of names) create(name);

  return {
    addressOf,
    range: `${prefix}.0/24`,
    /** Runs a program on the node. `user`: as this system user. */
    run(name: NodeName, command: readonly string[], env: Record<string, string> = {}, user?: string): ChildProcess {
      const identity = user === undefined ? [] : [`--reuid=${user}`, `--regid=${user}`, "--clear-groups"];
      // Programs end with this process, so that a failed campaign leaves none behind.
      const own = ["setpriv", "--pdeathsig=KILL", ...identity];
      const output = process.env["SHOW_PARTS"] ? "inherit" : "pipe";
      const child = spawn("ip", ["netns", "exec", spaceOf(name), ...own, ...command], {
        stdio: ["ignore", output, output, "ipc"],
        env: { PATH: process.env["PATH"] ?? "", LANG: "C.UTF-8", ...env },
      });
      for (const stream of [child.stdout, child.stderr])
        stream?.on("data", (chunk) => void outputs.set(name, `${outputs.get(name) ?? ""}${chunk}`.slice(-keptOutput)));
      children.add(child);
      child.once("exit", () => children.delete(child));
      return child;
    },
    /** The last characters that programs of the node have written, unless `SHOW_PARTS` prints everything. */
    outputOf: (name: NodeName) => outputs.get(name) ?? "",
    /** Sends a signal to all programs of the node whose command contains this text, or to all. */
    signal(name: NodeName, signal: "SIGKILL" | "SIGSTOP" | "SIGCONT", text = ""): void {
      for (const pid of pidsOf(spaceOf(name)))
        if (commandOf(pid).includes(text)) tryTo(() => process.kill(pid, signal));
    },
    /** Cuts the node off from all others. */
    cut: (name: NodeName) => ip("link", "set", linkOf(name), "down"),
    heal: (name: NodeName) => ip("link", "set", linkOf(name), "up"),
    async end(): Promise<void> {
      const all = [...children];
      for (const child of all) child.kill("SIGKILL");
      for (const name of names) for (const pid of pidsOf(spaceOf(name))) tryTo(() => process.kill(pid, "SIGKILL"));
      await Promise.all(all.map(exited));
      remove();
    },
  };
}

export function exited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => child.once("exit", () => resolve()));
}

function pidsOf(space: string): number[] {
  try {
    return execFileSync("ip", ["netns", "pids", space], { encoding: "utf8" }).split(/\s+/).filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return "";
  }
}

function tryTo(work: () => void): void {
  try {
    work();
  } catch {
    // It is not there.
  }
}
