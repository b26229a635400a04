// Serves the built console and its runtime configuration. The console itself handles unknown paths.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { canViewType } from "@psp/contract/permission/can.ts";
import type { OwnableType } from "@psp/contract/permission/permissions.ts";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { deriveBoxKeys } from "../kit/sealed-box.ts";
import { type Identify, sessionCookieName } from "./session.ts";
import { readStaticFiles, sendFile, type StaticFile } from "./static-files.ts";

const dist = join(import.meta.dirname, "../../../console/dist");

/**
 * Returns the position that the live channel had when the request arrived. The account's subscription starts there. Null if this
 * process has no live channel.
 */
export type FindCursor = (request: FastifyRequest, accountId: string) => string | null;

export type ConsolePage = { files: ReadonlyMap<string, StaticFile>; scriptHashes: string[] };
const pageFile = "/index.html";

let built: Promise<ConsolePage> | undefined;

/** Returns the built console, and the hashes of its inline scripts for the Content-Security-Policy. Reads it once per process. */
export function readConsole(): Promise<ConsolePage> {
  return (built ??= readBuilt());
}

async function readBuilt(): Promise<ConsolePage> {
  const files = await readStaticFiles(dist);
  const html = files.get(pageFile)?.variants.get("identity")?.bytes.toString() ?? "";
  const inline = [...html.matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const scriptHashes = inline.map(
    (match) =>
      `'sha256-${createHash("sha256")
        .update(match[1] ?? "")
        .digest("base64")}'`,
  );
  return { files, scriptHashes };
}

/** Unknown paths that match this get a 404, and all others get the console. */
const notPages =
  /^\/(api|broker|data|device|live|dev|health|metrics|assets|config\.js|mqtt|healthz|livez|readyz|ready)(\/|$)/;

export async function consoleRoutes(
  app: FastifyInstance,
  ctx: Context,
  identify: Identify,
  page: ConsolePage,
  cursorFor: FindCursor,
): Promise<void> {
  const configFor = async (request: FastifyRequest) => {
    // An API on another origin has its own session cookie, which browsers do not send to this server.
    const isElsewhere = URL.canParse(ctx.config.roots.api ?? "");
    const session = isElsewhere ? {} : await knownSession(ctx, identify, request, cursorFor);
    const config = { ...runtimeConfig(ctx), ...session };
    return JSON.stringify(config).replaceAll("<", String.raw`\u003c`);
  };
  // The configuration depends on the caller.
  const uncached = { "cache-control": "no-store" };
  app.get("/config.js", async (request, reply) => {
    const config = await configFor(request);
    return reply.headers(uncached).type("text/javascript; charset=utf-8").send(`window.__CONFIG__=${config};`);
  });
  const { files } = page;
  const start = files.get(pageFile);
  if (start === undefined) return;
  const pageWith = insertConfig(start.variants.get("identity")?.bytes.toString() ?? "");
  app.get("/*", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    const file = files.get(path);
    if (file === undefined && notPages.test(path)) throw new AppError(errorCode.notFound);
    if (file !== undefined && file !== start) return sendFile(request, reply, file);
    return reply
      .headers(uncached)
      .type(start.type)
      .send(pageWith(await configFor(request)));
  });
}

/**
 * Inserts the configuration in place of the script that fetches it, which saves a round trip (ADR 0027). Inserted as data, it is not
 * subject to the Content-Security-Policy for scripts.
 */
function insertConfig(html: string): (config: string) => string {
  const [before, after] = html.split(/<script src="\/config\.js"[^>]*><\/script>/);
  if (before === undefined || after === undefined) throw new Error("The page has no place for its configuration");
  return (config) => `${before}<script id="config" type="application/json">${config}</script>${after}`;
}

/**
 * Tells the console whether its cookie belongs to a session. Without a session, the console skips calls that would fail. `session` is
 * missing if the database is unavailable.
 */
async function knownSession(
  ctx: Context,
  identify: Identify,
  request: FastifyRequest,
  cursorFor: FindCursor,
): Promise<{ session?: boolean; views?: readonly OwnableType[]; since: string | null }> {
  const cookie = request.cookies[sessionCookieName(ctx.config)];
  if (!cookie) return { session: false, since: null };
  return identify(cookie).then(
    (actor) => ({
      session: actor !== null,
      views: actor === null ? [] : (["sensor", "measurement"] as const).filter((type) => canViewType(actor, type)),
      // The live channel resumes at this request, so that no change is missed (ADR 0013).
      since: actor === null ? null : cursorFor(request, actor.id),
    }),
    () => ({ since: null }),
  );
}

/** Configuration that the console needs before its first call (SH-09). Must not contain secrets. */
function runtimeConfig(ctx: Context) {
  const {
    links,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    autoLogin,
    allowedOrigins,
  } = ctx.config;
  const { publicUrl, firmware, demo, map, roots } = ctx.config;
  return {
    // If a root is not set, the console uses the root from its build.
    ...(roots.api === null ? {} : { apiRoot: roots.api }),
    ...(roots.data === null ? {} : { dataRoot: roots.data }),
    links,
    map,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    autoLogin,
    allowedOrigins,
    publicUrl,
    displayPublicKey: Buffer.from(deriveBoxKeys(ctx.config.secrets.display).publicKey).toString("base64"),
    firmwareMaxBytes: firmware.maxBytes,
    demo: demo.on && demo.history,
  };
}
