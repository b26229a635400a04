// Tests that the sort keys of versions order like the reference implementation of SemVer.
import fc from "fast-check";
import semver from "semver";
import { expect, test } from "vitest";
import { semverKey } from "./semver.ts";

const number = fc.oneof(fc.nat(12), fc.nat(2000), fc.nat(Number.MAX_SAFE_INTEGER)).map(String);
const word = fc.oneof(
  fc.constantFrom("alpha", "alpha1", "beta", "rc", "rc-1", "-", "--", "A", "a", "Z", "z", "0a", "10a", "1-", "x"),
  fc.stringMatching(/^[0-9A-Za-z-]{0,4}[A-Za-z-]$/),
);
const identifier = fc.oneof(number, word);
const version = fc
  .record({
    core: fc.oneof(
      fc.constantFrom("1.0.0", "1.2.3"),
      fc.tuple(number, number, number).map((parts) => parts.join(".")),
    ),
    pre: fc.oneof(fc.constant([]), fc.array(identifier, { maxLength: 4 })),
    build: fc.oneof(fc.constant(""), fc.constantFrom("+1", "+build.7", "+a-b")),
  })
  .map(({ core, pre, build }) => core + (pre.length > 0 ? `-${pre.join(".")}` : "") + build);

function order(a: string, b: string): number {
  // Keys must be ASCII, so that JavaScript's order equals the database's byte order.
  expect(a + b).toMatch(/^[\x21-\x7e]+$/);
  return a < b ? -1 : a > b ? 1 : 0;
}

test("keys compare as the versions do", () => {
  const seen = { equal: 0, preOnly: 0 };
  fc.assert(
    fc.property(version, version, (a, b) => {
      const expected = semver.compare(a, b);
      if (expected === 0 && a !== b) seen.equal += 1;
      if (expected !== 0 && a.split("-")[0] === b.split("-")[0]) seen.preOnly += 1;
      expect(order(semverKey(a), semverKey(b)), `${a} against ${b}`).toBe(expected);
    }),
    { numRuns: 20_000, seed: 5 },
  );
  expect(seen.equal).toBeGreaterThan(50);
  expect(seen.preOnly).toBeGreaterThan(500);
});

test("the chain of the SemVer document holds", () => {
  const chain = [
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-beta",
    "1.0.0-beta.2",
    "1.0.0-beta.11",
    "1.0.0-rc.1",
    "1.0.0",
    "1.9.0",
    "1.10.0",
    "2.0.0",
  ];
  expect(chain.toReversed().toSorted((a, b) => order(semverKey(a), semverKey(b)))).toEqual(chain);
});
