// Tests that other local users can't enter a tunnel: it has no network port, a private folder, and a secret per pair (T-17).
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, statSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createSocketPairs, type SocketPairs } from "./socket-pair.ts";
import { shortenTimer } from "../testing/shortened-timer.ts";

let pairs: SocketPairs;
beforeAll(() => void (pairs = createSocketPairs()));
afterAll(() => pairs.stop());

function heldInodes(): Set<string> {
  const links = readdirSync("/proc/self/fd").map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      return "";
    }
  });
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

function listening(): { network: number; paths: string[] } {
  const held = heldInodes();
  const rows = (file: string) =>
    readFileSync(file, "utf8")
      .trim()
      .split("\n")
      .slice(1)
      .map((line) => line.trim().split(/\s+/));
  const network = ["/proc/net/tcp", "/proc/net/tcp6"]
    .flatMap(rows)
    .filter((row) => row[3] === "0A" && held.has(row[9] ?? ""));
  const paths = rows("/proc/net/unix").filter((row) => row[3] === "00010000" && held.has(row[6] ?? ""));
  return { network: network.length, paths: paths.map((row) => row[7] ?? "") };
}

test.runIf(process.platform === "linux")(
  "T-17 a tunnel's far end has no port, and only its owner can reach its path",
  async () => {
    const before = listening();
    const other = createSocketPairs();
    const after = listening();
    expect(after.network).toBe(before.network);
    const [path] = after.paths.filter((one) => !before.paths.includes(one));
    expect(statSync(dirname(path ?? "")).mode & 0o777).toBe(0o700);
    other.stop();
    await expect.poll(() => statSync(dirname(path ?? ""), { throwIfNoEntry: false })).toBeUndefined();
  },
);

// Connections without the secret are closed after ten seconds.
afterAll(shortenTimer("setTimeout", 10_000, 1000));

test.runIf(process.platform === "linux")("T-17 connections without the right secret reach no stream", async () => {
  const [path] = listening().paths.filter((one) => one.includes("psp-tunnels-"));
  const stream = new PassThrough();
  const knock = (said: Buffer): Socket => {
    const socket = connect(path ?? "");
    socket.on("error", () => undefined);
    socket.resume();
    socket.write(said);
    return socket;
  };
  const near = pairs.inFrontOf(stream);
  const strangers = [knock(Buffer.alloc(32)), knock(Buffer.alloc(500, 7)), knock(Buffer.from("short"))];
  near.write("hello");
  const [answer] = (await once(near, "data")) as [Buffer];
  expect(answer.toString()).toBe("hello");
  await Promise.all(
    strangers.map(async (socket) => {
      if (!socket.closed) await once(socket, "close");
    }),
  );
  near.write("still here");
  expect(String((await once(near, "data"))[0])).toBe("still here");
  near.destroy();
});
