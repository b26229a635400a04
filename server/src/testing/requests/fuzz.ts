// Generates requests from the call table's schemas (one third valid, one third nearly valid, one third mangled), and
// checks the responses.
import type { AnyEndpoint } from "@psp/contract/kit/endpoint.ts";
import fc from "fast-check";
import { type Answer, findFailureFault } from "./failure.ts";
import { problematicValue, type CallInput, naturalNumber, type IdPool, validInput } from "./fuzz-values.ts";

export type Shot = {
  call: AnyEndpoint;
  kind: "valid" | "near" | "mangled";
  method: string;
  /** Encoded path and query; ids are `@kind:n` until `fillPlaceholders`. */
  path: string;
  headers: Record<string, string>;
  body: string | null;
};

function placesIn(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== "object" || value === null) return [at];
  return [
    at,
    ...Object.entries(value).flatMap(([key, inner]) =>
      placesIn(inner, [...at, Array.isArray(value) ? Number(key) : key]),
    ),
  ];
}

function changed(value: unknown, at: (string | number)[], change: (old: unknown) => unknown): unknown {
  const [key, ...rest] = at;
  if (key === undefined) return change(value);
  const copy: Record<string | number, unknown> = Array.isArray(value)
    ? ([...value] as never)
    : { ...(value as object) };
  const inner = changed(copy[key], rest, change);
  if (inner === undefined) delete copy[key];
  else copy[key] = inner;
  return copy;
}

const oneChange = fc.record({
  place: naturalNumber(10_000),
  how: fc.constantFrom("replace", "replace", "drop", "add", "nest"),
  value: problematicValue,
  name: fc.constantFrom("isDeleted", "__proto__", "constructor", "licenses", "x", "_id", "version"),
});

function nearly(
  input: CallInput,
  { place, how, value, name }: { place: number; how: string; value: unknown; name: string },
): CallInput {
  const target = { id: input.id, query: input.query, body: input.body };
  const places = placesIn(target).filter((at) => at.length > 1 || at[0] === "id");
  const at = places[place % Math.max(places.length, 1)] ?? ["id"];
  const change = (old: unknown) => {
    if (how === "drop") return at[0] === "id" ? old : undefined;
    if (how === "nest") return [old];
    if (how === "add" && typeof old === "object" && old !== null && !Array.isArray(old))
      return { ...old, [name]: value };
    return value;
  };
  return changed(target, at, change) as CallInput;
}

function shotOf(call: AnyEndpoint, kind: Shot["kind"], input: CallInput): Shot {
  const encode = (value: unknown) =>
    encodeURIComponent(typeof value === "string" ? value.toWellFormed() : (JSON.stringify(value) ?? ""))
      .replaceAll("%40", "@")
      .replaceAll("%3A", ":");
  const query = Object.entries(input.query ?? {}).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${encode(name)}=${encode(one)}`),
  );
  const path = (call.root ?? "/api") + call.path.replaceAll(/\{\w+\}/g, () => encode(input.id));
  return {
    call,
    kind,
    method: call.method,
    path: query.length > 0 ? `${path}?${query.join("&")}` : path,
    headers: call.body ? { "content-type": "application/json" } : {},
    body: call.body ? JSON.stringify(input.body ?? null) : null,
  };
}

const mangling = fc.record({
  what: fc.constantFrom("cut", "insert", "double", "type", "method", "path", "query", "header", "body"),
  at: naturalNumber(10_000),
  text: fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.constantFrom(
      "\u0000",
      "{",
      "[",
      '"',
      "\\u0000",
      ",",
      "]]]]",
      "/*",
      "1e999",
      "//",
      "/..",
      "%2e",
      "%",
      "?",
      "&",
      "=",
    ),
  ),
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"),
  header: fc.constantFrom<[string, string]>(
    ["content-type", "text/plain"],
    ["content-type", "application/json; charset=utf-16"],
    ["content-type", "multipart/form-data; boundary=x"],
    ["content-encoding", "gzip"],
    ["idempotency-key", "same"],
    ["idempotency-key", ""],
    ["if-match", "1"],
    ["if-match", "*"],
    ["if-match", "x"],
    ["x-http-method-override", "DELETE"],
    ["range", "bytes=0-1"],
    ["accept", "text/html"],
    ["origin", "https://evil.example"],
    ["cookie", "psp_session=x"],
    ["x-forwarded-host", "evil.example"],
  ),
});

function mangled(
  shot: Shot,
  {
    what,
    at,
    text,
    method,
    header: [name, value],
  }: { what: string; at: number; text: string; method: string; header: [string, string] },
): Shot {
  const body = shot.body ?? "";
  const cut = at % (body.length + 1);
  const onWire = text.toWellFormed().replaceAll(/[^\u0021-\u007e]/g, encodeURIComponent);
  switch (what) {
    case "cut":
      return { ...shot, body: body.slice(0, cut) };
    case "insert":
      return { ...shot, body: body.slice(0, cut) + text.toWellFormed() + body.slice(cut) };
    case "double":
      return { ...shot, body: body + body };
    case "method":
      return { ...shot, method };
    case "path": {
      const spot = 1 + (at % shot.path.length);
      return { ...shot, path: shot.path.slice(0, spot) + onWire + shot.path.slice(spot) };
    }
    case "query":
      return { ...shot, path: `${shot.path}${shot.path.includes("?") ? "&" : "?"}${onWire}=${onWire}` };
    case "body":
      return { ...shot, body: text.toWellFormed(), headers: { ...shot.headers, "content-type": "application/json" } };
    default:
      return { ...shot, headers: { ...shot.headers, [name]: value } };
  }
}

export function shotArbitrary(calls: readonly AnyEndpoint[]): fc.Arbitrary<Shot> {
  return fc.oneof(
    ...calls.map((call) => {
      const valid = validInput(call);
      return fc.oneof(
        valid.map((input) => shotOf(call, "valid", input)),
        fc
          .tuple(valid, fc.array(oneChange, { minLength: 1, maxLength: 2 }))
          .map(([input, changes]) => shotOf(call, "near", changes.reduce(nearly, input))),
        fc
          .tuple(valid, mangling)
          .map(([input, how]) => mangled({ ...shotOf(call, "mangled", input), kind: "mangled" }, how)),
      );
    }),
  );
}

export function fillPlaceholders(shot: Shot, pool: IdPool): Shot {
  const fill = (text: string) =>
    text.replaceAll(/@(\w+):(\d+)/g, (whole, kind: string, n: string) => {
      const list = pool[kind as keyof IdPool];
      return list?.[Number(n) % Math.max(list.length, 1)] ?? whole;
    });
  return { ...shot, path: fill(shot.path), body: shot.body === null ? null : fill(shot.body) };
}

const kindMade: Record<string, keyof IdPool> = {
  createAccount: "victim",
  createRole: "role",
  createSensor: "sensor",
  createLocation: "location",
  createEvent: "event",
  createInitToken: "initToken",
  createReport: "report",
};

export function updatePool(pool: IdPool, { call, method, path }: Shot, { status, text }: Answer): void {
  if (status >= 300) return;
  if (method === "DELETE") {
    const gone = decodeURIComponent(path.split("?")[0]?.split("/").at(-1) ?? "");
    for (const list of Object.values(pool))
      if (list.length > 1 && list.includes(gone)) list.splice(list.indexOf(gone), 1);
  }
  const kind = kindMade[call.name];
  if (!kind || method !== "POST") return;
  const made = (JSON.parse(text) as { _id?: unknown })._id;
  if (typeof made === "string" && pool[kind].length < 300) pool[kind].push(made);
}

const workbook = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/** Returns the fault of a response, or null. Faults are an unexpected 5xx, a wrong shape, and internal details. */
export function findAnswerFault(shot: Shot, answer: Answer): string | null {
  const { status, contentType, text } = answer;
  // Codes 500 to 511 are about unreachable sensors; any other 5xx is a bug.
  if (status >= 500 && !/"code":5(0\d|1[01]),/.test(text)) return `status ${status}: ${text.slice(0, 300)}`;
  if (shot.method === "HEAD") return null;
  if (status >= 400) return findFailureFault(answer);
  if (status >= 300) return `status ${status}`;
  // A mangled path or method may address another endpoint.
  if (shot.kind === "mangled") return null;
  if (contentType.startsWith("text/csv")) return null;
  if (contentType === workbook) return text.startsWith("PK") ? null : "not a workbook";
  if (shot.call.binary && contentType === "application/octet-stream") return null;
  if (!contentType.startsWith("application/json")) return `content type ${contentType}`;
  const value: unknown = JSON.parse(text);
  if (shot.call.reply.safeParse(value).success) return null;
  // A caller who may create but not view gets only the id.
  const keys = typeof value === "object" && value !== null ? Object.keys(value) : [];
  if (shot.method !== "GET" && keys.join() === "_id") return null;
  const issue = shot.call.reply.safeParse(value).error?.issues[0];
  return `not the promised reply: ${issue?.path.join(".")} ${issue?.message} in ${text.slice(0, 300)}`;
}
