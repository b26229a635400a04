// Binds calls of the contract to handlers. The only place where input becomes typed data.
import { errorCode, isServerErrorCode } from "@psp/contract/errors.ts";
import { type AnyEndpoint, type HandlerInput, hasListBody, type ReplyOf } from "@psp/contract/kit/endpoint.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { AppError, tooManyRequests } from "../kit/app-error.ts";
import { type Clock, createClock } from "../kit/clock.ts";
import { hashToken } from "../kit/tokens.ts";
import type { Caller, LongCall } from "../kit/caller.ts";
import { ReplayedReply } from "../db/write.ts";
import { beginAnswer } from "../kit/limits/turns.ts";
import { type LongCalls, onResponseClosed } from "./long-calls.ts";
import { createRateLimit } from "../kit/limits/rate-limit.ts";
import { createKeyedSemaphore } from "../kit/limits/semaphores.ts";
import type { Authenticate } from "./session.ts";
import { registerFormParser } from "./upload/upload.ts";
import { toInputError } from "@psp/contract/kit/safe-text.ts";
import type { z } from "zod";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Name of the call, for the metrics. */
    call?: string;
  }
}

type Extras<Who> = {
  request: FastifyRequest;
  reply: FastifyReply;
  /** Aborted when the shutdown begins; long work stops at its next step. */
  closing: AbortSignal;
  /** Makes this a long call: it is aborted when the caller's session or rights end. */
  beginLongCall: Who extends Caller ? () => Promise<LongCall> : null;
};
type Handler<C extends AnyEndpoint, Who> = (
  caller: Who,
  input: HandlerInput<C>,
  extras: Extras<Who>,
) => Promise<ReplyOf<C> | ResponseSent>;

/** Returned by handlers that sent the response themselves, such as downloads. */
export const responseSent: unique symbol = Symbol("responseSent");
export type ResponseSent = typeof responseSent;

type Finder<C extends AnyEndpoint, Who> = (
  caller: Who,
  params: HandlerInput<C>["params"],
  request: FastifyRequest,
) => Promise<unknown>;
/** `find` is required for calls that address an object. */
type FindArgument<C extends AnyEndpoint, Who> = HandlerInput<C>["params"] extends { id: string }
  ? [find: Finder<C, Who>]
  : [];

export type Binder = {
  /**
   * For calls that need a session. `find` throws 105 if the addressed object is not visible; it runs before faults of the input are
   * reported (docs/rules/errors.md#order-of-checks).
   */
  session<C extends AnyEndpoint>(call: C, handler: Handler<C, Caller>, ...find: FindArgument<C, Caller>): void;
  /** For calls with a file. Uploads of callers for whom `canCreate` is false use separate slots, and the handler must refuse them. */
  upload<C extends AnyEndpoint>(call: C, canCreate: (caller: Caller) => boolean, handler: Handler<C, Caller>): void;
  /** For calls without a session. */
  open<C extends AnyEndpoint>(call: C, handler: Handler<C, null>, ...find: FindArgument<C, null>): void;
  bound: Set<string>;
};

/** A received call. Parts that the call does not have, or that were malformed, are undefined. */
export type IncomingCall = {
  call: AnyEndpoint;
  caller: Caller | null;
  request: FastifyRequest;
  params?: Readonly<Record<string, unknown>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
};
/** Runs after every bound call, before the response is sent; must be fast. */
export type CallObserver = {
  answered(incoming: IncomingCall, answer: unknown): void;
  failed(incoming: IncomingCall, error: unknown): void;
};

/** Concurrent uploads per process and per account. */
const maxUploads = { max: 100, maxPerKey: 20 };
/** Concurrent uploads of accounts that lack the right to create anything. */
const maxIdleUploads = { max: 20, maxPerKey: 2 };
const minuteMs = 60_000;
const maxCalls = { max: Infinity, maxPerKey: 100, retryAfterS: 1 };

export function createBinder(
  app: FastifyInstance,
  authenticate: Authenticate,
  longCalls: LongCalls,
  { observer, clock = createClock() }: { observer?: CallObserver; clock?: Clock } = {},
): Binder {
  const bound = new Set<string>();
  const callers = new WeakMap<FastifyRequest, Caller>();
  const closing = new AbortController();
  const uploads = createKeyedSemaphore(maxUploads);
  const idleUploads = createKeyedSemaphore(maxIdleUploads);
  const runningCalls = createKeyedSemaphore(maxCalls);
  app.addHook("preClose", async () => closing.abort());

  function add<C extends AnyEndpoint, Who extends Caller | null>(
    call: C,
    needsSession: boolean,
    handler: Handler<C, Who>,
    { find, canCreate }: { find?: Finder<C, Who> | undefined; canCreate?: (caller: Caller) => boolean },
  ) {
    bound.add(call.name);
    const budget = call.perMinute === undefined ? null : createRateLimit(clock, call.perMinute, minuteMs);
    const route: RouteOptions = {
      method: call.method,
      url: (call.root ?? "/api") + call.path.replace(/\{(\w+)\}/g, ":$1"),
      config: { call: call.name, secret: call.secret === true },
      ...(call.maxBodyBytes === undefined ? {} : { bodyLimit: call.maxBodyBytes }),
      // Runs before the body is read.
      ...(needsSession
        ? {
            onRequest: async (request: FastifyRequest, reply: FastifyReply) => {
              const actor = await authenticate(request);
              const caller = { ...actor, request: { id: request.id, idempotency: null, ifMatch: null } };
              // A destroyed stream emits no more events: parsing its body would wait forever.
              if (request.raw.destroyed && !request.raw.complete)
                throw new AppError(errorCode.invalidArgument, { reason: "The body was cut off" });
              onResponseClosed(reply, runningCalls.take(caller.id));
              callers.set(request, caller);
            },
          }
        : {}),
      handler: async (request, reply) => {
        const caller = (callers.get(request) ?? null) as Who;
        const incoming: IncomingCall = { call, caller, request };
        const end = beginAnswer();
        const answer = await serve(incoming, caller, reply)
          .catch((error: unknown) => {
            observer?.failed(incoming, error);
            throw error;
          })
          .finally(end);
        observer?.answered(incoming, answer);
        if (answer === responseSent) return reply;
        return reply
          .header("cache-control", "no-store")
          .type("application/json; charset=utf-8")
          .send(JSON.stringify(answer ?? {}));
      },
    };
    async function serve(incoming: IncomingCall, caller: Who, reply: FastifyReply) {
      const { request } = incoming;
      const params = readPart(call.params, request.params, "path") as HandlerInput<C>["params"];
      Object.assign(incoming, { params });
      const { marks, ...input } = await readInput(call, request, async () => {
        if (find) await find(caller, params, request);
      });
      Object.assign(incoming, input);
      if (caller) Object.assign(caller.request, marks);
      const beginLongCall = caller ? () => longCalls.begin(caller, (over) => onResponseClosed(reply, over)) : null;
      const extras = { request, reply, closing: closing.signal, beginLongCall } as Extras<Who>;
      const waitS = (caller && budget?.take(caller.id)) ?? 0;
      if (waitS > 0) throw tooManyRequests(waitS);
      const leave = canCreate && caller ? (canCreate(caller) ? uploads : idleUploads).take(caller.id) : null;
      return handler(caller, { ...input, params } as HandlerInput<C>, extras)
        .catch((error: unknown): ReplyOf<C> => {
          if (error instanceof ReplayedReply) return error.reply as ReplyOf<C>;
          throw error;
        })
        .finally(() => leave?.());
    }
    if (!canCreate) app.route(route);
    else
      app.register(
        async (scope) => {
          await registerFormParser(scope);
          scope.route(route);
        },
        // Suppresses the debug line that the form parser writes for each form.
        { logLevel: "warn" },
      );
  }
  return {
    bound,
    session: (call, handler, ...[find]) => add(call, true, handler, { find }),
    upload: (call, canCreate, handler) => add(call, true, handler, { canCreate }),
    open: (call, handler, ...[find]) => add(call, false, handler, { find }),
  };
}

async function readInput(call: AnyEndpoint, request: FastifyRequest, visible: () => Promise<void>) {
  try {
    return {
      marks: { idempotency: idempotencyOf(request), ifMatch: ifMatchOf(request) },
      query: readPart(call.query, request.query ?? {}, "query"),
      body: call.body ? readPart(call.body, bodyOf(request, call), "body") : refuseBody(request),
    };
  } catch (error) {
    await visible();
    throw error;
  }
}

/** Placeholder for a body that is not valid JSON, so that 401 and 404 take precedence. */
export const malformedBody = Symbol("malformed");

/**
 * Returns the body, or an empty object if there is none. Throws 102 for invalid JSON, `listCode` for an array that the call does not
 * expect, and 402 for any other value that is not an object.
 */
export function bodyOf(request: FastifyRequest, call?: AnyEndpoint): object {
  const body: unknown = request.body;
  if (body === malformedBody) throw new AppError(errorCode.invalidArgument, { reason: "The body is not valid JSON" });
  if (body === undefined) return {};
  if (Array.isArray(body)) {
    if (call && hasListBody(call)) return body;
    throw new AppError(call?.listCode ?? errorCode.invalidFieldType, { field: "", reason: "An object is expected" });
  }
  if (typeof body !== "object" || body === null)
    throw new AppError(errorCode.invalidFieldType, { field: "", reason: "An object is expected" });
  return body;
}

function refuseBody(request: FastifyRequest): undefined {
  const first = Object.keys(bodyOf(request))[0];
  if (first !== undefined) throw new AppError(errorCode.invalidFieldType, { field: first });
  return undefined;
}

function idempotencyOf(request: FastifyRequest): Caller["request"]["idempotency"] {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || request.method === "GET") return null;
  if (key.length === 0 || key.length > 200) throw new AppError(errorCode.invalidArgument, { field: "Idempotency-Key" });
  const body = JSON.stringify(request.body) ?? "";
  return { key, hash: hashToken(`${request.method} ${request.url}\n${body}`) };
}

function ifMatchOf(request: FastifyRequest): number | null {
  const text = request.headers["if-match"];
  if (text === undefined || text === "*") return null;
  const match = /^(?:W\/)?"?(\d{1,9})"?$/.exec(text);
  if (!match) throw new AppError(errorCode.invalidArgument, { field: "If-Match" });
  return Number(match[1]);
}

/** Returns the validated value. Throws 105 for an invalid path, and the code of the first fault for an invalid query or body. */
export function readPart(schema: z.ZodType | undefined, value: unknown, part: "path" | "query" | "body"): unknown {
  if (!schema) {
    const extra = part === "query" && value ? Object.keys(value)[0] : undefined;
    if (extra !== undefined) throw new AppError(errorCode.invalidArgument, { field: extra });
    return undefined;
  }
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const fault = toInputError(result.error);
  // A malformed id is handled like an unknown one.
  if (part === "path") throw new AppError(errorCode.notFound);
  // Query faults other than invalid input and missing arguments become 102.
  const code =
    part === "query" && fault.code !== errorCode.invalidInput && fault.code !== errorCode.missingArgument
      ? errorCode.invalidArgument
      : fault.code;
  throw new AppError(isServerErrorCode(code) ? code : errorCode.invalidArgument, {
    field: fault.field,
    reason: fault.message,
  });
}
