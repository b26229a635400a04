// Hashes passwords with Argon2id behind a bounded queue, so that a flood of sign-ins does not take all processor time (T-10).
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Config } from "../config.ts";
import type { Metrics } from "../kit/metrics.ts";
import { createPrioritySemaphore } from "../kit/limits/semaphores.ts";
import { deriveKey } from "./hashing-pool.adapter.ts";

/** OWASP's first choice for interactive sign-in: 19 MiB, two passes, one lane. */
const fullCost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;
/** Argon2id's minimum, used with TEST_HASHING only. Without TEST_HASHING, such a hash matches no password. */
const testCost = { ...fullCost, memory: 8, passes: 1 } as const;
const atOnce = 2;

type Hashing = { config: Pick<Config, "testHashing">; metrics?: Pick<Metrics, "hashes"> };
type Cost = { memory: number; passes: number; parallelism: number };
const costOf = ({ config }: Hashing) => (config.testHashing ? testCost : fullCost);
const prefixOf = ({ memory, passes, parallelism }: Cost) => `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$`;

/** `known` is for browsers that signed in to the account before, so that a flood of strangers does not delay the owner. */
export type HashingPriority = "known" | "anyone";
/** Derivations beyond these queue limits are refused at once (429). */
const inTurn = createPrioritySemaphore(atOnce, { known: 50, anyone: 200 });
function deriveInTurn(
  { metrics }: Hashing,
  line: HashingPriority,
  asked: Parameters<typeof deriveKey>[0],
): Promise<Buffer> {
  return inTurn(line, () => {
    metrics?.hashes.inc();
    return deriveKey(asked);
  });
}
/** Normalizes the text, because keyboards and systems compose characters differently. */
function bytesOf(password: string): Buffer {
  return Buffer.from(password.normalize("NFC"), "utf8");
}

/** Returns a PHC string. Takes about 60 ms of one core. */
export async function hashPassword(ctx: Hashing, password: string): Promise<string> {
  const cost = costOf(ctx);
  const nonce = randomBytes(16);
  const tag = await deriveInTurn(ctx, "anyone", { message: bytesOf(password), nonce, ...cost });
  const text = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
  return `${prefixOf(cost)}${text(nonce)}$${text(tag)}`;
}

// A dummy hash, so that verifying without a stored password takes the same time.
const unknownHash = (cost: Cost) => `${prefixOf(cost)}${"A".repeat(22)}$${"A".repeat(43)}`;

/** Compares in constant time. Without a hash, or with a test hash, takes the same time and returns false. */
export async function verifyPassword(
  ctx: Hashing,
  given: string | null,
  password: string,
  line: HashingPriority = "anyone",
) {
  const isForTests = !ctx.config.testHashing && given?.startsWith(prefixOf(testCost));
  const hash = isForTests ? null : given;
  const parts = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(
    hash ?? unknownHash(costOf(ctx)),
  );
  if (!parts) return false;
  const [, memory, passes, parallelism, salt = "", tag = ""] = parts;
  const expected = Buffer.from(tag, "base64");
  const derived = await deriveInTurn(ctx, line, {
    message: bytesOf(password),
    nonce: Buffer.from(salt, "base64"),
    memory: Number(memory),
    passes: Number(passes),
    parallelism: Number(parallelism),
    tagLength: expected.length,
  });
  return timingSafeEqual(derived, expected) && hash !== null;
}
