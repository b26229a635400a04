// One call of the contract from the browser: address, body, answer, and an error that the screen can show; and what becomes of
// it when the session is over: a save waits until the person is back and is made again, everything else fails.
import { createTicket } from "@psp/contract/auth/auth.api.ts";
import { type ClientErrorCode, clientErrors } from "@psp/contract/errors.ts";
import { sinceHeader } from "@psp/contract/live/channel.ts";
import { type AnyEndpoint, type Replied, type Sent } from "@psp/contract/kit/endpoint.ts";
import { config } from "../config.ts";
import { noteFailure } from "./last-failure.ts";
import { callAddress } from "./server-address.ts";

/** A failed call. `code` is the server's, 11 when it could not be reached, or 13 when somebody on the way refused. */
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

/** The server was not reached, or the connection was lost before its answer. */
export const lostCall = () => new CallError(0, unreachable.code, unreachable.message, null);

const timeoutMs = 30_000;

let since: string | null = null;
/** A page of somebody who is logged in asks for its data together with who that is (ADR 0027): its own cursor is the older one. */
const sincePage = config.session === true ? config.since : null;
/** Cursor of the live channel before which nothing that the page shows was asked for. */
export const sinceSession = (): string | null => since;

type Input<C extends AnyEndpoint> = {
  params?: Sent<C>["params"];
  query?: Sent<C>["query"];
  body?: Sent<C>["body"];
  signal?: AbortSignal;
  /** Makes a repeat of the same write harmless. */
  idempotencyKey?: string;
  /** The version the person saw: somebody else's change in between is refused with 412. */
  version?: number;
  /** In place of the session: a token that opens one thing only. */
  bearer?: string;
};

/** Makes the call; throws CallError. The cookie carries the session. A save waits for a login where the session is over. */
export async function call<C extends AnyEndpoint>(endpoint: C, input: Input<C> = {}): Promise<Replied<C>> {
  // What can be given up, or was not asked for by a person, is no save.
  const isSave = endpoint.method !== "GET" && input.signal === undefined && endpoint.name !== createTicket.name;
  if (!isSave || endpoint.caller !== "session") return insideSession(endpoint, false, () => attempt(endpoint, input));
  const once = { ...input, idempotencyKey: input.idempotencyKey ?? newKey() };
  return insideSession(endpoint, true, () => attempt(endpoint, once));
}

/** Names one write. Works without a secure context, too, which `randomUUID` does not. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function attempt<C extends AnyEndpoint>(endpoint: C, input: Input<C>): Promise<Replied<C>> {
  const notReached = (error: unknown): never => {
    throw input.signal?.aborted ? error : lostCall();
  };
  const url = callAddress(endpoint, input.params ?? {}) + queryText(input.query);
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
  const latest = response.headers.get(sinceHeader);
  if (latest !== null) since = since === null ? (sincePage ?? latest) : latest;
  // A failure may come without a readable body; of a success the body is what was asked for.
  const body: unknown = await response.json().catch((error: unknown) => (response.ok ? notReached(error) : null));
  if (!response.ok) throw toCallError(response, body);
  if (!import.meta.env.DEV) return body as Replied<C>;
  // In development a reply that leaves the contract is found at once.
  return endpoint.reply.parse(body) as Replied<C>;
}

/** What is said where the answer itself says nothing: proxies send pages of their own, and status lines are for machines. */
function wordless(status: number): { code: ClientErrorCode; message: string } {
  if (status < 400 || status >= 500) return unreachable;
  return { code: refused.code, message: status === 413 ? "What you sent is too large." : refused.message };
}

/** What a failed answer says, by whatever means it came. */
export function toCallError(response: { status: number }, body: unknown): CallError {
  const problem = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const details = (problem["details"] ?? {}) as Record<string, unknown>;
  const plain = wordless(response.status);
  const code = typeof problem["code"] === "number" ? problem["code"] : plain.code;
  const message = typeof problem["error"] === "string" ? problem["error"] : plain.message;
  const requestId = typeof problem["requestId"] === "string" ? problem["requestId"] : null;
  // A session that is over and a thing that is gone are no failures to ask about.
  if (requestId !== null && ![401, 404].includes(response.status)) noteFailure(requestId);
  return new CallError(response.status, code, message, requestId, details);
}

/** Said over the form, and of a save that was given up. */
export const sessionEndedText = "Your session has ended. Log in to go on.";

export type SessionEnd = {
  /** A save was refused: null once the same account is signed in again, else the sentence why it is not made. */
  onSave(): Promise<string | null>;
  /** Anything else was refused. */
  onOther(): void;
};

let sessionEnd: SessionEnd = { onSave: () => Promise.resolve(sessionEndedText), onOther: () => {} };
/** Registers what happens when the session turns out to be over. */
export function whenSessionOver(handler: SessionEnd): void {
  sessionEnd = handler;
}

/** A 401 that names a field is about what was typed there, such as the present password; the session goes on. */
function isSessionOver(error: unknown, endpoint: AnyEndpoint): error is CallError {
  return (
    error instanceof CallError &&
    error.status === 401 &&
    endpoint.caller === "session" &&
    error.details["field"] === undefined
  );
}

/** Makes the call by `send`, and a save once more after the login. */
export async function insideSession<T>(endpoint: AnyEndpoint, isSave: boolean, send: () => Promise<T>): Promise<T> {
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

/** `{a: 1, b: ["x","y"]}` → `?a=1&b=x&b=y`; empty and undefined values are left out. */
function queryText(query: unknown): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries((query ?? {}) as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") search.append(key, String(one));
    }
  }
  const text = search.toString();
  return text ? `?${text}` : "";
}
