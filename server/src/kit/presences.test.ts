// Tests how the sockets of several processes are summed up.
import { expect, test } from "vitest";
import { createPresenceTracker } from "./presences.ts";

test("AC-16 sockets of all processes count, until a process reports none or was silent for too long", () => {
  const presences = createPresenceTracker();
  const sent: unknown[] = [];
  presences.onChange((sockets) => void sent.push(sockets));
  expect(presences.opened("a")).toBe(1);
  presences.hear(
    "p1",
    [
      ["a", 2],
      ["b", 1],
    ],
    100,
  );
  presences.hear("p2", [["a", 1]], 200);
  expect(["a", "b", "c"].map(presences.of)).toEqual([4, 1, 0]);
  expect(presences.closed("a")).toBe(3);
  expect(presences.closed("a")).toBe(3);
  expect(presences.ofThisProcess()).toEqual([]);
  expect(sent).toEqual([
    ["a", 1],
    ["a", 0],
    ["a", 0],
  ]);
  presences.hear("p2", [["a", 0]], 210);
  // Exactly at the limit, a report still counts.
  expect(presences.expire(100)).toEqual([]);
  presences.hear("p1", [["a", 2]], 150);
  expect(presences.expire(101)).toEqual(["b"]);
  expect(presences.opened("a")).toBe(3);
  // "a" still has a socket in this process.
  expect(presences.expire(151)).toEqual([]);
  expect(presences.of("a")).toBe(1);
});

test("AC-16 last sockets that close in two processes at the same time are noticed", () => {
  const presences = createPresenceTracker();
  presences.opened("a");
  presences.hear("p1", [["a", 1]], 1);
  // The other process has closed its socket, too, but its report is still on its way.
  expect(presences.closed("a")).toBe(1);
  expect(presences.hear("p1", [["a", 0]], 2)).toEqual(["a"]);
  expect(presences.hear("p1", [["a", 0]], 3)).toEqual([]);
  presences.opened("a");
  presences.hear("p1", [["a", 1]], 4);
  expect(presences.closed("a")).toBe(1);
  presences.opened("a");
  expect(presences.hear("p1", [["a", 0]], 5)).toEqual([]);
});
