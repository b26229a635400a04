// One call of the contract from the browser: address, body, answer, and an error that the screen can show.
import { type ClientErrorCode, clientErrors } from "@psp/contract/errors.ts";
import { type AnyEndpoint, pathOf, type Replied, type Sent } from "@psp/contract/kit/endpoint.ts";

/** A failed call. `code` is the server's, or 11 when it could not be reached. */
export class CallError extends Error {
  readonly status: number;
  readonly code: number;
  readonly requestId: string | null;
  readonly details: Record<string, unknown>;
  /** The status line's own words; empty where the protocol has none. */
  readonly statusText: string;
  constructor(
    status: number,
    code: number,
    message: string,
    requestId: string | null,
    details: Record<string, unknown> = {},
    statusText = "",
  ) {
    super(message);
    this.statusText = statusText;
    this.name = "CallError";
    this.status = status;
    this.code = code;
    this.requestId = requestId;
    this.details = details;
  }
}

const unreachable: ClientErrorCode = 11;
const timeoutMs = 30_000;

type Input<C extends AnyEndpoint> = {
  params?: Sent<C>["params"];
  query?: Sent<C>["query"];
  body?: Sent<C>["body"];
  signal?: AbortSignal;
  /** Makes a repeat of the same write harmless. */
  idempotencyKey?: string;
  /** The version the person saw: somebody else's change in between is refused with 412. */
  version?: number;
};

let onUnauthorized: () => void = () => {};
/** Registers what happens when the session turns out to be over. */
export function whenUnauthorized(handler: () => void): void {
  onUnauthorized = handler;
}

/** Makes the call; throws CallError. The cookie carries the session. */
export async function call<C extends AnyEndpoint>(endpoint: C, input: Input<C> = {}): Promise<Replied<C>> {
  const notReached = (error: unknown): never => {
    if (input.signal?.aborted) throw error;
    throw new CallError(0, unreachable, clientErrors[unreachable].message, null);
  };
  const url = pathOf(endpoint, input.params ?? {}) + queryText(input.query);
  const response = await fetch(url, {
    method: endpoint.method,
    credentials: "same-origin",
    headers: {
      accept: "application/json",
      ...(input.body === undefined ? {} : { "content-type": "application/json" }),
      ...(input.idempotencyKey ? { "idempotency-key": input.idempotencyKey } : {}),
      ...(input.version === undefined ? {} : { "if-match": `"${input.version}"` }),
    },
    body: input.body === undefined ? null : JSON.stringify(input.body),
    signal: AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(input.signal ? [input.signal] : [])]),
  }).catch(notReached);
  // A failure may come without a readable body; of a success the body is what was asked for.
  const body: unknown = await response.json().catch((error: unknown) => (response.ok ? notReached(error) : null));
  if (!response.ok) throw toCallError(response, body, endpoint);
  if (!import.meta.env.DEV) return body as Replied<C>;
  // In development a reply that leaves the contract is found at once.
  return endpoint.reply.parse(body) as Replied<C>;
}

/** What a failed answer says, by whatever means it came. */
export function toCallError(
  response: { status: number; statusText: string },
  body: unknown,
  endpoint: AnyEndpoint,
): CallError {
  if (response.status === 401 && endpoint.caller === "session") onUnauthorized();
  const problem = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const code = typeof problem["code"] === "number" ? problem["code"] : unreachable;
  const message = typeof problem["error"] === "string" ? problem["error"] : clientErrors[unreachable].message;
  const requestId = typeof problem["requestId"] === "string" ? problem["requestId"] : null;
  return new CallError(
    response.status,
    code,
    message,
    requestId,
    (problem["details"] ?? {}) as Record<string, unknown>,
    response.statusText,
  );
}

/** `{a: 1, b: ["x","y"]}` → `?a=1&b=x&b=y`; undefined values are left out. */
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
