// Calls the API from the browser, and throws errors that can be displayed.
// After the session has ended, writes wait for a new login and are sent again. All other calls fail.
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { type ClientErrorCode, clientErrors } from "@psp/contract/errors.ts";
import { liveCursorHeader } from "@psp/contract/live/channel.ts";
import { type AnyEndpoint, type ReplyOf, type ClientInput } from "@psp/contract/kit/endpoint.ts";
import { config } from "./config.ts";
import { recordFailure } from "./last-failure.ts";
import { callUrl } from "./server-address.ts";

/** A failed call. `code` is the server's error code, 11 if the server could not be reached, or 13 if a proxy responded. */
export class CallError extends Error {
  readonly status: number;
  readonly code: number;
  readonly requestId: string | null;
  readonly details: Record<string, unknown>;
  constructor(
    status: number,
    code: number,
    message: string,
    requestId: string | null,
    details: Record<string, unknown> = {},
  ) {
    super(message);
    this.name = "CallError";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}

const { serverConnectionError: unreachable, requestFailed: refused } = clientErrors;

/** The server was not reached, or the connection broke before the response. */
export const createConnectionLostError = () => new CallError(0, unreachable.code, unreachable.message, null);

const timeoutMs = 30_000;

let since: string | null = null;
/** Live channel cursor that the server inlined into the page with the session data. Older than any response (ADR 0027). */
const sincePage = config.session === true ? config.since : null;
/** Cursor from which the live channel sends messages, so that the page misses no change. */
export const getFirstLiveCursor = (): string | null => since;

type Input<C extends AnyEndpoint> = {
  params?: ClientInput<C>["params"];
  query?: ClientInput<C>["query"];
  body?: ClientInput<C>["body"];
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** The version the user saw; a concurrent change is refused with 412. */
  version?: number;
  /** A token for a single purpose instead of the session cookie. */
  bearer?: string;
};

/** Makes the call with the session cookie; throws CallError. After the session has ended, writes wait for a login. */
export async function call<C extends AnyEndpoint>(endpoint: C, input: Input<C> = {}): Promise<ReplyOf<C>> {
  // Calls with an abort signal and ticket requests of the live channel are not saves, so they don't wait for a login.
  const isSave = endpoint.method !== "GET" && input.signal === undefined && endpoint.name !== createTicket.name;
  if (!isSave || endpoint.caller !== "session")
    return withSessionRetry(endpoint, false, () => attempt(endpoint, input));
  const once = { ...input, idempotencyKey: input.idempotencyKey ?? newIdempotencyKey() };
  return withSessionRetry(endpoint, true, () => attempt(endpoint, once));
}

/** An idempotency key. Also works in insecure contexts, unlike `randomUUID`. */
export function newIdempotencyKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function attempt<C extends AnyEndpoint>(endpoint: C, input: Input<C>): Promise<ReplyOf<C>> {
  const notReached = (error: unknown): never => {
    throw input.signal?.aborted ? error : createConnectionLostError();
  };
  const url = callUrl(endpoint, input.params ?? {}) + queryText(input.query);
  const response = await fetch(url, {
    method: endpoint.method,
    credentials: "include",
    headers: {
      accept: "application/json",
      ...(input.body === undefined ? {} : { "content-type": "application/json" }),
      ...(input.idempotencyKey ? { "idempotency-key": input.idempotencyKey } : {}),
      ...(input.version === undefined ? {} : { "if-match": `"${input.version}"` }),
      ...(input.bearer === undefined ? {} : { authorization: `Bearer ${input.bearer}` }),
    },
    body: input.body === undefined ? null : JSON.stringify(input.body),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(input.signal ? [input.signal] : [])]),
  }).catch(notReached);
  const latest = response.headers.get(liveCursorHeader);
  if (latest !== null) since = since === null ? (sincePage ?? latest) : latest;
  // An error response may lack a JSON body. If a successful response lacks it, the call fails.
  const body: unknown = await response.json().catch((error: unknown) => (response.ok ? notReached(error) : null));
  if (!response.ok) throw toCallError(response, body);
  if (!import.meta.env.DEV) return body as ReplyOf<C>;
  return endpoint.reply.parse(body) as ReplyOf<C>;
}

/** Code and message for responses without our error body, such as the error pages of proxies. */
function wordless(status: number): { code: ClientErrorCode; message: string } {
  if (status < 400 || status >= 500) return unreachable;
  return { code: refused.code, message: status === 413 ? "Your request is too large." : refused.message };
}

export function toCallError(response: { status: number }, body: unknown): CallError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const details = (problem["details"] ?? {}) as Record<string, unknown>;
  const plain = wordless(response.status);
  const code = typeof problem["code"] === "number" ? problem["code"] : plain.code;
  const message = typeof problem["error"] === "string" ? problem["error"] : plain.message;
  const requestId = typeof problem["requestId"] === "string" ? problem["requestId"] : null;
  // Users need no support for a 401 or 404.
  if (requestId !== null && ![401, 404].includes(response.status)) recordFailure(requestId);
  return new CallError(response.status, code, message, requestId, details);
}

/** Text of the login dialog, and of toasts about writes that were given up. */
export const sessionEndedText = "Your session has ended. Log in to go on."; // fixed

export type SessionEndHandlers = {
  /** Resolves to null if the write can be repeated after a new login to the same account, else to the reason why not. */
  onSave(): Promise<string | null>;
  onOther(): void;
};

let sessionEnd: SessionEndHandlers = { onSave: () => Promise.resolve(sessionEndedText), onOther: () => {} };
export function onSessionEnd(handler: SessionEndHandlers): void {
  sessionEnd = handler;
}

/** A 401 that names a field is about user input such as the current password; the session is still valid. */
function isSessionOver(error: unknown, endpoint: AnyEndpoint): error is CallError {
  return (
    error instanceof CallError &&
    error.status === 401 &&
    endpoint.caller === "session" &&
    error.details["field"] === undefined
  );
}

export async function withSessionRetry<T>(endpoint: AnyEndpoint, isSave: boolean, send: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!isSessionOver(error, endpoint)) throw error;
      if (!isSave) {
        sessionEnd.onOther();
        throw error;
      }
      const why = await sessionEnd.onSave();
      if (why !== null) throw new CallError(401, error.code, why, null);
    }
  }
}

/** `{a: 1, b: ["x","y"]}` → `?a=1&b=x&b=y`; omits empty and undefined values. */
export function queryText(query: unknown): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") search.append(key, String(one));
    }
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}
