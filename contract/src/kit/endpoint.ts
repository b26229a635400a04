// Describes API calls. The server binds the descriptions, the console calls them, and OpenAPI is generated from them.
import type { z } from "zod";
import type { ServerErrorCode } from "../errors.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** Who may call: anyone, a signed-in user, or a device. Permissions are checked later by the use case. */
export type CallerKind = "public" | "session" | "device";

export type Upload<Fields extends z.ZodType = z.ZodType> = {
  file: string;
  /** Required file extension, such as `.csv`; empty if any is accepted. The content type is ignored. */
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
  caller: CallerKind;
};

type Shape<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Reply extends z.ZodType> = {
  root?: "/api" | "/data" | "/device";
  summary: string;
  maxBodyBytes?: number;
  /** Error code for a body that is an array; 402 by default. 102 if arrays have a meaning that is not supported, such as a batch. */
  listCode?: ServerErrorCode;
  /** Maximum calls per account and minute (429). For calls that write an audit row each time. */
  perMinute?: number;
  binary?: true;
  /** The response contains a secret such as a token, so it is never compressed (ADR 0027). */
  secret?: true;
  params?: Params;
  query?: Query;
  body?: Body;
  upload?: Upload;
  reply: Reply;
};

export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> = Address & Shape<Params, Query, Body, Reply>;

/** Defines a call; requires a session unless `caller` says otherwise. */
export function endpoint<
  Params extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodType = z.ZodUndefined,
  Body extends z.ZodType = z.ZodUndefined,
  Reply extends z.ZodType = z.ZodType,
>(
  name: string,
  method: Method,
  path: string,
  shape: Shape<Params, Query, Body, Reply> & { caller?: CallerKind },
): Endpoint<Params, Query, Body, Reply> {
  return { name, method, path, caller: "session", ...shape };
}

export type AnyEndpoint = Endpoint;

/** Whether the body is an array instead of an object. */
export const hasListBody = ({ body }: Pick<AnyEndpoint, "body">): boolean => body?.def.type === "array";

type Part<C, K extends "params" | "query" | "body"> = C extends { [P in K]?: infer S } ? Exclude<S, undefined> : never;
type Out<S> = S extends z.ZodType ? z.output<S> : undefined;
type In<S> = S extends z.ZodType ? z.input<S> : undefined;

export type HandlerInput<C extends AnyEndpoint> = {
  params: Out<Part<C, "params">>;
  query: Out<Part<C, "query">>;
  body: Out<Part<C, "body">>;
};
export type ClientInput<C extends AnyEndpoint> = {
  params: In<Part<C, "params">>;
  query: In<Part<C, "query">>;
  body: In<Part<C, "body">>;
};
export type ReplyOf<C extends AnyEndpoint> = z.output<C["reply"]>;

export function buildPath(call: AnyEndpoint, params: Record<string, string> = {}): string {
  const path = call.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
  return (call.root ?? "/api") + path;
}
