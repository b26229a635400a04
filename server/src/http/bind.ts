// Binds a call of the contract to a handler: the door where unknown data becomes typed data, and nowhere else.
import { createHash } from "node:crypto";
import type { AnyEndpoint, Received, Replied } from "@psp/contract/kit/endpoint.ts";
import { faultOf } from "@psp/contract/kit/safe-text.ts";
import { isServerErrorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { AppError } from "../app-error.ts";
import type { Caller } from "../caller.ts";
import { ReplayedReply } from "../db/write.ts";
import type { Sessions } from "./session.ts";

type Extras = { request: FastifyRequest; reply: FastifyReply };
type Handler<C extends AnyEndpoint, Who> = (
  caller: Who,
  input: Received<C>,
  extras: Extras,
) => Promise<Replied<C> | Streamed>;

/** A handler that wrote its answer itself (downloads, pre-built JSON) says so with this value. */
export const streamed: unique symbol = Symbol("streamed");
export type Streamed = typeof streamed;

type Finder<C extends AnyEndpoint> = (caller: Caller, params: Received<C>["params"]) => Promise<unknown>;

export type Binder = {
  /**
   * For calls that need a session; the caller arrives with their rights. `find` throws 105 when the addressed object
   * is not visible: it is asked first when the form is bad, because a stranger must not learn more (decisions 3).
   */
  session<C extends AnyEndpoint>(call: C, handler: Handler<C, Caller>, find?: Finder<C>): void;
  /** For calls anybody may make. */
  open<C extends AnyEndpoint>(call: C, handler: Handler<C, null>): void;
  /** Names of the calls that have a handler. */
  bound: Set<string>;
};

export function createBinder(app: FastifyInstance, sessions: Sessions): Binder {
  const bound = new Set<string>();
  const callers = new WeakMap<FastifyRequest, Caller>();

  function add<C extends AnyEndpoint, Who extends Caller | null>(
    call: C,
    needsSession: boolean,
    handler: Handler<C, Who>,
    find?: Finder<C>,
  ) {
    bound.add(call.name);
    app.route({
      method: call.method,
      url: (call.root ?? "/api") + call.path.replace(/\{(\w+)\}/g, ":$1"),
      config: { call: call.name },
      // Before the body is read: who may not come in does not get to upload either.
      ...(needsSession
        ? { onRequest: async (request: FastifyRequest) => void callers.set(request, await callerOf(sessions, request)) }
        : {}),
      handler: async (request, reply) => {
        const caller = (callers.get(request) ?? null) as Who;
        const params = read(call.params, request.params, "path") as Received<C>["params"];
        const input = await form(call, request, async () => {
          if (caller && find) await find(caller, params);
        });
        if (caller) caller.request.idempotency = idempotencyOf(request);
        const answer = await handler(caller, { ...input, params } as Received<C>, { request, reply }).catch(
          replayed<C>,
        );
        if (answer === streamed) return reply;
        return reply
          .header("cache-control", "no-store")
          .type("application/json; charset=utf-8")
          .send(JSON.stringify(answer ?? {}));
      },
    });
  }
  return {
    bound,
    session: (call, handler, find) => add(call, true, handler, find),
    open: (call, handler) => add(call, false, handler),
  };
}

function replayed<C extends AnyEndpoint>(error: unknown): Replied<C> {
  if (error instanceof ReplayedReply) return error.reply as Replied<C>;
  throw error;
}

async function form(call: AnyEndpoint, request: FastifyRequest, visible: () => Promise<void>) {
  try {
    return {
      query: read(call.query, request.query ?? {}, "query"),
      body: call.body ? read(call.body, bodyOf(request), "body") : refuseBody(request),
    };
  } catch (error) {
    await visible();
    throw error;
  }
}

async function callerOf(sessions: Sessions, request: FastifyRequest): Promise<Caller> {
  const actor = await sessions.authenticate(request);
  return { ...actor, request: { id: request.id, idempotency: null, ifMatch: ifMatchOf(request) } };
}

function read(schema: z.ZodType | undefined, value: unknown, part: "path" | "query" | "body"): unknown {
  if (!schema) {
    const extra = part === "query" && value ? Object.keys(value)[0] : undefined;
    if (extra !== undefined) throw new AppError(102, { field: extra });
    return undefined;
  }
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const fault = faultOf(result.error);
  // An address that can't be an id is an object that does not exist.
  if (part === "path") throw new AppError(105);
  // What is wrong in a query is a bad argument, but for the input rule and missing ones.
  const code = part === "query" && fault.code !== 400 && fault.code !== 104 ? 102 : fault.code;
  throw new AppError(isServerErrorCode(code) ? code : 102, { field: fault.field, message: fault.message });
}

/** Stands for a body that is no JSON, so that 401 and 404 are still told first. */
export const malformed = Symbol("malformed");

function bodyOf(request: FastifyRequest): unknown {
  const body: unknown = request.body;
  if (body === malformed) throw new AppError(102, { reason: "The body is not valid JSON" });
  if (body === undefined) return {};
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new AppError(402, { field: "", message: "An object is expected" });
  return body;
}

function refuseBody(request: FastifyRequest): undefined {
  const body: unknown = request.body;
  const first = body && typeof body === "object" ? Object.keys(body)[0] : undefined;
  if (first !== undefined) throw new AppError(402, { field: first });
  return undefined;
}

function idempotencyOf(request: FastifyRequest): Caller["request"]["idempotency"] {
  const key = request.headers["idempotency-key"];
  if (typeof key !== "string" || request.method === "GET") return null;
  if (key.length === 0 || key.length > 200) throw new AppError(102, { field: "Idempotency-Key" });
  const hash = createHash("sha256")
    .update(`${request.method} ${request.url}\n${JSON.stringify(request.body) ?? ""}`)
    .digest();
  return { key, hash };
}

function ifMatchOf(request: FastifyRequest): number | null {
  const text = request.headers["if-match"];
  if (text === undefined || text === "*") return null;
  const match = /^(?:W\/)?"?(\d{1,9})"?$/.exec(text);
  if (!match) throw new AppError(102, { field: "If-Match" });
  return Number(match[1]);
}
