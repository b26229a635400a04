// Tests network addresses: subnet rules against an oracle that compares bit strings, and misleading spellings.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { validValues, withChanges } from "../section.testing.ts";
import { isHost, isHostAndPort, isReceiverAddress, isUnicastIpv4, parseIpv4 } from "./addresses.ts";
import { validateSection } from "./check.ts";

type Octets = readonly [number, number, number, number];
const bitsOf = (octets: Octets) => octets.map((octet) => octet.toString(2).padStart(8, "0")).join("");

/** Determines the expected messages by comparing bit strings. */
function expected(address: Octets, gateway: Octets, prefix: number): string[] {
  const [own, other] = [bitsOf(address), bitsOf(gateway)];
  const isEnd = (bits: string) => new Set(bits.slice(prefix)).size === 1;
  const found = isEnd(own) ? ["IP address must not be the first or the last address of the network."] : [];
  if (own === other || own.slice(0, prefix) !== other.slice(0, prefix))
    return [...found, "The gateway must be in the same network."];
  return isEnd(other) ? [...found, "Gateway must not be the first or the last address of the network."] : found;
}

const octet = fc.integer({ min: 0, max: 255 });
const first = fc.constantFrom(1, 10, 126, 128, 172, 192, 223);
const bit = fc.tuple(fc.integer({ min: 8, max: 31 }), fc.constantFrom("0", "1"));
const end = fc.constantFrom(null, "0", "1");
function changed(
  octets: Octets,
  bits: readonly (readonly [number, string])[],
  from: number,
  tail: string | null,
): Octets {
  const all = [...bitsOf(octets)];
  for (const [at, digit] of bits) all[at] = digit;
  if (tail !== null) all.fill(tail, from);
  return [0, 8, 16, 24].map((at) => Number.parseInt(all.slice(at, at + 8).join(""), 2)) as unknown as Octets;
}
/** Generates pairs of addresses that differ in a few bits and are often the first or last address of their network. */
const pair = fc
  .record({
    address: fc.tuple(first, octet, octet, octet),
    prefix: fc.integer({ min: 8, max: 30 }),
    bits: fc.array(bit, { maxLength: 4 }),
    ends: fc.tuple(end, end),
  })
  .map(({ address, prefix, bits, ends: [one, other] }) => ({
    prefix,
    address: changed(address, [], prefix, one),
    gateway: changed(changed(address, bits, 32, null), [], prefix, other),
  }));

test("SE-07 the gateway lies in the network of the address, as its bits say", () => {
  const seen = new Map<string, number>();
  fc.assert(
    fc.property(pair, ({ address, gateway, prefix }) => {
      const values = withChanges(validValues("PS.C1", "network"), {
        address: address.join("."),
        gateway: gateway.join("."),
        prefix,
      });
      const sentences = expected(address, gateway, prefix);
      for (const sentence of sentences.length > 0 ? sentences : ["right"])
        seen.set(sentence, (seen.get(sentence) ?? 0) + 1);
      expect(validateSection("PS.C1", "network", values).map(({ message }) => message)).toEqual(sentences);
    }),
    { seed: 30, numRuns: 3000 },
  );
  expect(seen.size).toBe(4);
  expect(Math.min(...seen.values())).toBeGreaterThan(50);
});

test("an address is what its four numbers say", () => {
  fc.assert(
    fc.property(fc.tuple(octet, octet, octet, octet), (octets) => {
      expect(parseIpv4(octets.join("."))).toBe(Number.parseInt(bitsOf(octets), 2));
    }),
    { seed: 4, numRuns: 500 },
  );
});

describe.each<[string, (text: string) => boolean, string[], string[]]>([
  [
    "an address of one host",
    isUnicastIpv4,
    ["1.0.0.1", "126.1.1.1", "128.0.0.1", "169.254.1.1", "223.255.255.254"],
    [
      "",
      "1.2.3",
      "1.2.3.4.",
      ".1.2.3",
      "1..2.3",
      "01.2.3.4",
      "1.2.3.-4",
      "1.2.3.4e0",
      "0x1.2.3.4",
      "1.2.3.٤",
      "::1",
      "1 .2.3.4",
      "16909060",
    ],
  ],
  [
    "a host",
    isHost,
    ["a", "a-b.example.com", "9to5.example", "10.0.0.1", `${"a".repeat(63)}.de`],
    [
      "",
      ".",
      "a.",
      ".a",
      "a..b",
      "-a.b",
      "a-.b",
      "a_b",
      "10.0.0",
      "1.2.3.4.5",
      "7",
      `${"a".repeat(64)}.de`,
      "a.".repeat(126) + "bc",
      "ä.de",
      "[::1]",
    ],
  ],
  [
    "host and port",
    isHostAndPort,
    ["a:1", "a.b:65535", "10.0.0.1:8883"],
    ["a", "a:", ":1", "a:0", "a:65536", "a:01", "a:1:2", "a: 1", "[::1]:1", "a:1e3"],
  ],
  [
    "an address of a receiver",
    isReceiverAddress,
    ["https://a", "mqtts://a:8883", "https://10.0.0.1:443/x?y#z", "https://a?b=https://c@d", "https://a/@"],
    [
      "HTTPS://a",
      "https:/a",
      "https//a",
      "https://a b",
      "https://a@b",
      "https://a:b@c",
      "https://?x",
      "https://a:0",
      " https://a",
      "https://a\\b",
      "mqtt://a",
      "//a",
    ],
  ],
])("%s", (_, accepts, right, wrong) => {
  test.each(right)("%s is one", (text) => expect(accepts(text)).toBe(true));
  test.each(wrong)("%s is none", (text) => expect(accepts(text)).toBe(false));
});
