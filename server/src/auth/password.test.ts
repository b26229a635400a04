// The password rules, asked the way the console asks, against a table of own examples.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluatePassword } from "./password.service.ts";
import { hashPassword, verifyPassword } from "./hashing.ts";

const owner = { name: "Harbour Stores", email: "martina.weber@example.com" };
const isGood = (password: string) => evaluatePassword(password, owner).fulfilled;

describe("what is accepted", () => {
  test.each([
    "violet-harbour-lantern",
    "fünfzehnzeichen", // exactly 15
    "I met a heron at the old mill",
    "👩‍🌾 cows and 🐄 grass",
    "9f2c77a1b04d3e8",
    "x".repeat(3) + "Qk7!mz0Lw#pR",
    "correct horse battery staple",
    "<b>[my]{favourite}</b> brackets",
    "ночь улица фонарь аптека",
    `${"long sentence with many words ".repeat(8)}end`,
  ])("%s", (password) => expect(evaluatePassword(password, owner)).toMatchObject({ fulfilled: true }));
});

describe("what is refused", () => {
  test.each([
    ["", "nothing"],
    ["fourteen-chars", "too short"],
    ["a".repeat(257), "too long"],
    ["aaaaaaaaaaaaaaaa", "one character"],
    ["ababababababababab", "two characters"],
    ["abcdeabcdeabcdeabcde", "a short piece repeated"],
    ["123456789012345", "digits in a row"],
    ["987654321098765", "digits backwards"],
    ["abcdefghijklmnop", "the alphabet"],
    ["qwertyuiopasdfghjkl", "the keyboard"],
    ["Qwertz-uiop-Asdf-Ghjkl", "the keyboard with signs"],
    ["passwordpassword", "a common word twice"],
    ["Password12345678!", "a common word with digits"],
    ["AdminAdminAdmin2026", "a common word repeated"],
    ["correcthorsebatterystaple", "a famous one"],
    ["1qaz2wsx3edc4rfv", "a keyboard walk from the lists"],
    ["my Harbour Stores key", "the name"],
    ["my HARBOUR-stores key", "the name with signs"],
    ["hello martina.weber@example.com", "the address"],
    ["martinaweber is my name", "the mailbox"],
    ["I love PS.Platform 4ever", "the product"],
    ["ps platform forever and ever", "the product with a space"],
  ])("%s: %s", (password) => expect(isGood(password)).toBe(false));
});

test("length counts characters as people see code points, in composed form", () => {
  expect(isGood("ü".normalize("NFD").repeat(1) + "abendsonnexyz")).toBe(false);
  expect(isGood("🦔🐄🌾🚜🌻🐓🐖🐑🐐🦆🐈🐕🐎🐇🌽")).toBe(true);
  expect(isGood("🦔🐄🌾🚜🌻🐓🐖🐑🐐🦆🐈🐕🐎🐇")).toBe(false);
});

test("random passwords of 15 to 256 characters are accepted, whatever they are made of", () => {
  const random = fc
    .string({ unit: "grapheme-ascii", minLength: 15, maxLength: 256 })
    .filter((text) => new Set(text).size > 9);
  fc.assert(
    fc.property(random, (password) => isGood(password)),
    { numRuns: 2000, seed: 5 },
  );
});

test("a hash answers to its password only, and says how it was made", async () => {
  const hash = await hashPassword("violet-harbour-lantern");
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect(await verifyPassword(hash, "violet-harbour-lantern")).toBe(true);
  expect(await verifyPassword(hash, "violet-harbour-lanterN")).toBe(false);
  expect(await verifyPassword(null, "violet-harbour-lantern")).toBe(false);
  expect(await hashPassword("violet-harbour-lantern")).not.toBe(hash);
});

test("a flood of hashes is turned away at once instead of queueing without end", async () => {
  const outcomes = await Promise.allSettled(
    Array.from({ length: 230 }, () => verifyPassword(null, "violet-harbour-lantern")),
  );
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused).toHaveLength(28);
  expect(refused.every(({ reason }) => reason.status === 429 && reason.headers["retry-after"] === "5")).toBe(true);
  expect(await verifyPassword(null, "violet-harbour-lantern")).toBe(false);
});
