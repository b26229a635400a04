// REST interface of an older APS, reached through the tunnel (manual of firmware 1.18).
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2";
import {
  type RestLineCounts,
  restLoginSchema,
  restPaths,
  restUpdateSchema,
  type RestUser,
  restUsers,
} from "@psp/contract/sensor/sensor.rest.ts";
import { computeTally } from "../counting/tally.ts";
import { parseJson } from "../link/link.ts";
import { addTotals, type RestInterface } from "../device/rest-interface.ts";
import { startRestUpdate } from "../firmware/rest-update.ts";
import type { Sensor } from "../device/sensor-state.ts";

const tokenLifeS = 3600;
const maxBodyBytes = 16 * 1024;

type Answer = { status: number; body?: unknown };
const refusal = (status: number, error: string): Answer => ({ status, body: { error } });
const notSupported = refusal(405, "Method not supported");

/** Responds with 404 if the sensor has no REST interface. */
export function serveRest(sensor: Sensor, request: Http2ServerRequest, reply: Http2ServerResponse): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  request.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes <= maxBodyBytes) chunks.push(chunk);
  });
  request.on("error", () => undefined);
  reply.stream.on("error", () => undefined);
  request.on("end", () => {
    const { status, body } =
      bytes > maxBodyBytes ? refusal(413, "Too large") : answer(sensor, request, Buffer.concat(chunks).toString());
    if (reply.stream.destroyed) return;
    if (body === undefined) return void reply.writeHead(status).end();
    reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
}

function answer(sensor: Sensor, { method, url, headers }: Http2ServerRequest, text: string): Answer {
  const { rest } = sensor;
  if (!rest) return refusal(404, "Not found");
  const path = url.split("?")[0] ?? "";
  if (path === restPaths.login) return method === "POST" ? logIn(rest, text) : notSupported;
  const user = userOf(rest, headers.authorization);
  if (!user) return refusal(401, "Not authenticated");
  if (path === restPaths.update) return answerUpdate(sensor, user, method, text);
  if (path === restPaths.counts || path.startsWith(`${restPaths.counts}/`))
    return answerCounts(sensor, rest, path.slice(restPaths.counts.length + 1), method);
  return refusal(404, "Not found");
}

function logIn(rest: RestInterface, text: string): Answer {
  const login = restLoginSchema.safeParse(parseJson(text));
  if (!login.success) return refusal(400, "username and password are required");
  const { username, password } = login.data;
  const isKnown = restUsers.some((user) => user === username) && password === rest.password;
  if (!isKnown) return refusal(401, "Wrong username or password");
  const now = Math.floor(Date.now() / 1000);
  return {
    status: 200,
    body: { access_token: sign(rest, { identity: username, iat: now, nbf: now, exp: now + tokenLifeS }) },
  };
}

type Claims = { identity: string; iat: number; nbf: number; exp: number };
const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const seal = (rest: RestInterface, text: string): Buffer => createHmac("sha256", rest.key).update(text).digest();

function sign(rest: RestInterface, claims: Claims): string {
  const text = `${encode({ alg: "HS256", typ: "JWT" })}.${encode(claims)}`;
  return `${text}.${seal(rest, text).toString("base64url")}`;
}

function userOf(rest: RestInterface, authorization: string | undefined): RestUser | null {
  const [, head = "", body = "", given = ""] = /^Bearer ([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(authorization ?? "") ?? [];
  const [right, seen] = [seal(rest, `${head}.${body}`), Buffer.from(given, "base64url")];
  if (right.length !== seen.length || !timingSafeEqual(right, seen)) return null;
  const claims = parseJson(Buffer.from(body, "base64url").toString()) as Claims;
  return claims.exp * 1000 > Date.now() ? (restUsers.find((user) => user === claims.identity) ?? null) : null;
}

function answerUpdate(sensor: Sensor, user: RestUser, method: string, text: string): Answer {
  if (method === "GET") return refusal(403, "Forbidden");
  if (method !== "POST") return notSupported;
  if (user !== "user-role-edit") return refusal(403, "This user can't update the firmware");
  const update = restUpdateSchema.safeParse(parseJson(text));
  if (!update.success) return refusal(400, `${update.error.issues[0]?.path.join(".") || "The request"} is not valid`);
  return startRestUpdate(sensor, update.data) ? { status: 200 } : refusal(400, "An update is in progress");
}

function answerCounts(sensor: Sensor, rest: RestInterface, name: string, method: string): Answer {
  if (method !== "GET" && method !== "PUT") return notSupported;
  const lines = sensor.profile.lines.filter((line) => name === "" || line.name === decode(name));
  if (lines.length === 0) return refusal(404, "There is no such line");
  const open = computeTally(sensor.profile, sensor.world, sensor.intervalFrom, sensor.env.clock.now());
  if (method === "PUT") {
    // Resets the running interval, too.
    for (const { id } of lines) rest.totals.delete(id);
    addTotals(rest, { ...open, lines: open.lines.filter((line) => lines.some(({ id }) => id === line.id)) }, -1);
    return { status: 200 };
  }
  const now: RestInterface = { ...rest, totals: new Map(rest.totals) };
  addTotals(now, open);
  const counts = lines.map(({ id, name: line }): RestLineCounts => {
    const { adult = [0, 0], child = [0, 0] } = now.totals.get(id) ?? {};
    const data = Object.entries({ adult, child }).map(([kind, [entered, left]]) => ({
      class: kind,
      in: entered,
      out: left,
    }));
    return { name: line, data };
  });
  return { status: 200, body: { counts } };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
