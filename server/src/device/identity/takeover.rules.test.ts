// Tests the limits from which takeovers count as evidence of two devices with one identity (DE-01).
import { expect, test } from "vitest";
import { detectSharedIdentity, type Takeover } from "./takeover.rules.ts";

/** One takeover every `everyS` seconds, with alternating addresses. */
const takeovers = (length: number, everyS: number, addresses: string[]): Takeover[] =>
  Array.from({ length }, (_, n) => ({
    atMs: n * everyS * 1000,
    from: addresses[n % addresses.length] ?? "",
    to: addresses[(n + 1) % addresses.length] ?? "",
  }));

test.each<[string, Takeover[], boolean]>([
  ["none", [], false],
  ["five returns of two addresses", takeovers(6, 60, ["a", "b"]), true],
  ["four returns", takeovers(5, 60, ["a", "b"]), false],
  ["nine in a minute from one address", takeovers(9, 6, ["a"]), false],
  ["ten in a minute from one address", takeovers(10, 6, ["a"]), true],
  ["a device with a bad network, always the same address", takeovers(20, 30, ["a"]), false],
  [
    "a device that moves from address to address",
    takeovers(
      9,
      30,
      Array.from({ length: 20 }, (_, n) => `a${n}`),
    ),
    false,
  ],
])("DE-01 %s", (_, list, isShared) => {
  expect(detectSharedIdentity(list) !== null).toBe(isShared);
});

test("DE-01 the addresses of the last two connections are named, even if equal", () => {
  expect(detectSharedIdentity(takeovers(6, 60, ["a", "b"]))).toEqual({
    count: 6,
    sinceMs: 0,
    lastMs: 300_000,
    addresses: ["b", "a"],
  });
  expect(detectSharedIdentity(takeovers(10, 1, ["a"]))?.addresses).toEqual(["a", "a"]);
});
