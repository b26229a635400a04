// Ids that sort by creation (UUID version 7), so that new rows land at the end of their index.
import { randomBytes, randomInt } from "node:crypto";

/** Incremented per id, so that ids of the same millisecond keep their order. */
let count = randomInt(2 ** 25);

/** A UUIDv7: the time in milliseconds, a counter of 26 bits, and 48 random bits. */
export function uuidv7(nowMs: number): string {
  const bytes = randomBytes(16);
  count = (count + 1) % 2 ** 26;
  bytes.writeUIntBE(Math.max(0, Math.floor(nowMs)), 0, 6);
  bytes.writeUInt16BE(0x70_00 | (count >> 14), 6);
  bytes.writeUInt16BE(0x80_00 | (count & 0x3f_ff), 8);
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
