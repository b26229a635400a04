// Enrollment over HTTP: exchanges an init token for an MQTT credential (docs/device-protocol.md#2-enrollment).
import { randomBytes } from "node:crypto";
import { enrolReplySchema, type EnrolReply, type Enrollment } from "@psp/contract/device/device-messages.ts";

/** `retryable` if the server is unavailable or busy, not if it refuses. */
export class EnrolError extends Error {
  readonly status: number;
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  constructor(message: string, status: number, retryable: boolean, retryAfterMs: number | null = null) {
    super(message);
    this.status = status;
    this.retryable = retryable;
    this.retryAfterMs = retryAfterMs;
  }
}

const refusals: Record<number, string> = {
  400: "The server rejected the enrollment request as malformed",
  401: "The init token is unknown or revoked",
  403: "The init token is not for sensors of this type or owner",
  409: "Another device already uses this sensor ID",
};

/** `csr`: certificate request, PKCS#10; `credential`: the current password, if any. */
export type EnrolRequest = Omit<Enrollment, "nonce" | "claimHint"> & { url: string };

/** Sends one request. Throws EnrolError with a user-facing message. */
export async function enrol({ url, ...facts }: EnrolRequest): Promise<EnrolReply> {
  const body: Enrollment = { ...facts, nonce: randomBytes(16).toString("base64url") };
  let response: Response;
  let text: string;
  try {
    response = await fetch(new URL("/device/v1/enrol", url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    // A truncated response counts as no response.
    text = await response.text();
  } catch (error) {
    throw new EnrolError(`No response from ${url}: ${causeOf(error)}`, 0, true);
  }
  if (response.ok) return parseReply(text, url);
  const retryAfter = Number(response.headers.get("retry-after"));
  const retryable = response.status === 429 || response.status >= 500;
  const sentence = refusals[response.status] ?? `The server responded with ${response.status}`;
  throw new EnrolError(
    `${sentence} (${response.status} for ${facts.id}${detailOf(text)}).`,
    response.status,
    retryable,
    retryAfter > 0 ? retryAfter * 1000 : null,
  );
}

function parseReply(text: string, url: string): EnrolReply {
  try {
    return enrolReplySchema.parse(JSON.parse(text));
  } catch {
    throw new EnrolError(`${url} does not respond like a PS.Platform server.`, 200, false);
  }
}

function detailOf(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === "object" && body !== null && "error" in body && typeof body.error === "string")
      return `, "${body.error}"`;
  } catch {
    return "";
  }
  return "";
}

/** The innermost cause of a failed fetch, e.g. `connect ECONNREFUSED 127.0.0.1:8080`. */
export function causeOf(error: unknown): string {
  let cause = error;
  while (cause instanceof Error && cause.cause) cause = cause.cause;
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0].message;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}

/** Exponential back-off: 5 s doubled up to 15 min, ± 20 % jitter. */
export function backOffMs(tries: number, luck: number): number {
  return Math.round(Math.min(15 * 60_000, 5000 * 2 ** Math.min(tries, 10)) * (0.8 + 0.4 * luck));
}
