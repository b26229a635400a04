// One call of the API as data: the server binds it, the console calls it, the documentation prints it.
import type { z } from "zod";
import type { ServerErrorCode } from "../errors.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Who may call: anybody, a signed-in account, or a device. Everything finer is decided by the use case. */
export type Caller = "public" | "session" | "device";

/** A form (multipart) with one file beside its fields. */
export type Upload<Fields extends z.ZodType = z.ZodType> = {
  /** Name of the file's field. */
  file: string;
  /** How the file's name must end, e.g. `.csv`, or empty for any; the content type does not matter. */
  ending: string;
  maxBytes: number;
  fields: Fields;
};

type Address = {
  /** Unique verb-noun name; also the OpenAPI operationId. */
  name: string;
  method: Method;
  /** Path below the API root with `{param}` segments, e.g. `/sensor/{id}`. */
  path: string;
  caller: Caller;
};

type Shape<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Reply extends z.ZodType> = {
  /** `/api` unless the call belongs to the data service or the devices. */
  root?: "/api" | "/data" | "/device";
  summary: string;
  /** Only where a body may be longer than others. */
  maxBodyBytes?: number;
  /** What a list in place of the body's object earns: a bad argument where lists exist that are not served; 402 as a rule. */
  listCode?: ServerErrorCode;
  /** How often one account may make the call in a minute; then 429. For what leaves a row in the audit trail at each flip of a switch. */
  perMinute?: number;
  /** Answers with bytes instead of JSON. */
  binary?: true;
  /** The answer hands out what opens something, such as a token: it is never compressed (ADR 0027). */
  secret?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  /** Instead of a body. */
  upload?: Upload;
  reply: Reply;
};

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> = Address & Shape<Params, Query, Body, Reply>;

/** A call with its types, for signed-in accounts unless `caller` says otherwise; one that is not declared so does not exist. */
export function endpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Reply extends z.ZodType = z.ZodType,
>(
  name: string,
  method: Method,
  path: string,
  shape: Shape<Params, Query, Body, Reply> & { caller?: Caller },
): Endpoint<Params, Query, Body, Reply> {
  return { name, method, path, caller: "session", ...shape };
}

export type AnyEndpoint = Endpoint;
type Part<C, K extends "params" | "query" | "body"> = C extends { [P in K]?: infer S } ? Exclude<S, undefined> : never;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : undefined;

/** What a handler on the server receives, parsed. */
export type Received<C extends AnyEndpoint> = {
  params: Out<Part<C, "params">>;
  query: Out<Part<C, "query">>;
  body: Out<Part<C, "body">>;
};
/** What a client may send, before parsing. */
export type Sent<C extends AnyEndpoint> = {
  params: In<Part<C, "params">>;
  query: In<Part<C, "query">>;
  body: In<Part<C, "body">>;
};
export type Replied<C extends AnyEndpoint> = z.output<C["reply"]>;

/** Address of a call with its path parameters filled in, percent-encoded. */
export function pathOf(call: AnyEndpoint, params: Record<string, string> = {}): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return (call.root ?? "/api") + path;
}
