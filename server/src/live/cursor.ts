// Encodes positions in the log of announcements as cursors, from which a client can resume at any process.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import type { Position } from "../db/bus/announcements.ts";

const algorithm = "aes-256-gcm";
const sizes = { nonce: 12, tag: 16, epoch: 16 };
const textForm = /^[\w-]{64,2000}$/;
/** Running transactions in a cursor. Without them, a client gets some announcements twice. */
const maxRunning = 40;

/** Changes and counts are delivered independently, each with few positions at a time. */
const maxRecent = 8;
const padTo = 64;
const noncesAtOnce = 512;
const nowhere: Position = { epoch: "00000000-0000-0000-0000-000000000000", snapshot: "1:1:" };

/**
 * Creates cursors that are valid only for one account. They are encrypted with a key from the secret that all processes share, because
 * a position reveals how many changes all accounts made.
 */
export function createCursors(secret: string) {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "psp live cursor v1", 32));
  const nextNonce = createNonces();
  /** Cursors of the last positions by account, because all connections of an account can get the same. */
  const recent = new Map<Position, Map<string, string>>();

  function seal(accountId: string, { epoch, snapshot }: Position): string {
    const nonce = nextNonce();
    const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(accountId));
    const plain = Buffer.concat([Buffer.from(epoch.replaceAll("-", ""), "hex"), Buffer.from(pad(shorten(snapshot)))]);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url");
  }

  function ofPosition(position: Position): Map<string, string> {
    const known = recent.get(position);
    if (known) return known;
    const [oldest] = recent.keys();
    if (oldest && recent.size >= maxRecent) recent.delete(oldest);
    const added = new Map<string, string>();
    recent.set(position, added);
    return added;
  }

  return {
    /** `position`: null makes a client that resumes from this cursor reload. */
    of: (accountId: string, position: Position | null): string =>
      ofPosition(position ?? nowhere).getOrInsertComputed(accountId, () => seal(accountId, position ?? nowhere)),
    read(accountId: string, text: string): Position | null {
      if (!textForm.test(text)) return null;
      const bytes = Buffer.from(text, "base64url");
      if (bytes.toString("base64url") !== text) return null;
      const body = sizes.nonce + sizes.tag;
      try {
        const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, sizes.nonce))
          .setAAD(Buffer.from(accountId))
          .setAuthTag(bytes.subarray(sizes.nonce, body));
        const plain = Buffer.concat([decipher.update(bytes.subarray(body)), decipher.final()]);
        const epoch = plain
          .subarray(0, sizes.epoch)
          .toString("hex")
          .replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
        return { epoch, snapshot: plain.subarray(sizes.epoch).toString().trimEnd() };
      } catch {
        return null;
      }
    },
  };
}

/** Takes random bytes for many nonces at once, because each call of the generator costs as much as the encryption. */
function createNonces(): () => Buffer {
  let pool = Buffer.alloc(0);
  return () => {
    if (pool.length === 0) pool = randomBytes(sizes.nonce * noncesAtOnce);
    const nonce = pool.subarray(0, sizes.nonce);
    pool = pool.subarray(sizes.nonce);
    return nonce;
  };
}

/** A snapshot is `xmin:xmax:running`. Treats too many running transactions as if all after the oldest one were running. */
function shorten(snapshot: string): string {
  const [xmin = "", , running = ""] = snapshot.split(":");
  return running.split(",").length > maxRunning ? `${xmin}:${xmin}:` : snapshot;
}

/** So that the length does not show how many transactions ran. */
const pad = (text: string) => text.padEnd(Math.ceil(text.length / padTo) * padTo);

/** Serializes the part of a message that all connections share; `closeFrame` adds the number and cursor of one connection. */
export function openFrame(message: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(message).slice(0, -1);
}

export function closeFrame(open: string, seq: number, cursor: string): string {
  return `${open},"seq":${seq},"cursor":"${cursor}"}`;
}
