// Serves the built console and its runtime configuration; unknown addresses are the console's to explain.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { cookieName, type Identify } from "./session.ts";

const dist = join(import.meta.dirname, "../../../console/dist");

export type ConsolePage = { html: string | null; scriptHashes: string[] };

/** Reads the built page; the inline script that sets the theme before the first paint is allowed by its hash. */
export async function readConsole(): Promise<ConsolePage> {
  const html = await readFile(join(dist, "index.html"), "utf8").catch(() => null);
  const inline = [...(html ?? "").matchAll(/<script(?![^>]*\bsrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const scriptHashes = inline.map(
    (match) =>
      `'sha256-${createHash("sha256")
        .update(match[1] ?? "")
        .digest("base64")}'`,
  );
  return { html, scriptHashes };
}

/** Paths that are not pages: an unknown one below them is an API answer, never the console. */
const notPages = /^\/(api|data|device|live|dev|health|metrics|assets|config\.js|mqtt)(\/|$)/;

export async function consoleRoutes(
  app: FastifyInstance,
  ctx: Context,
  identify: Identify,
  page: ConsolePage,
): Promise<void> {
  app.get("/config.js", async (request, reply) => {
    const config = { ...runtimeConfig(ctx), ...(await knownSession(identify, request)) };
    return (
      reply
        // It is about the caller.
        .header("cache-control", "no-store")
        .type("text/javascript; charset=utf-8")
        .send(`window.__CONFIG__=${JSON.stringify(config).replaceAll("<", String.raw`\u003c`)};`)
    );
  });
  if (page.html === null) return;
  const { html } = page;
  await app.register(fastifyStatic, {
    root: dist,
    index: false,
    wildcard: false,
    // Source maps may be built, but the product never serves sources (T-29).
    allowedPath: (path) => !path.endsWith(".map"),
    cacheControl: false,
    setHeaders: (reply, path) =>
      // Names of assets carry their content's hash.
      void reply.header(
        "cache-control",
        path.includes("/assets/") ? "public, max-age=31536000, immutable" : "no-cache",
      ),
  });
  app.get("/*", async (request, reply) => {
    const path = request.url.split("?")[0] ?? "/";
    if (notPages.test(path)) throw new AppError(105);
    return reply.header("cache-control", "no-cache").type("text/html; charset=utf-8").send(html);
  });
}

/** Whether the browser's cookie opens a session, so that the console need not ask in vain; nothing while that can't be found out. */
async function knownSession(identify: Identify, request: FastifyRequest): Promise<{ session?: boolean }> {
  const cookie = request.cookies[cookieName];
  if (!cookie) return { session: false };
  return identify(cookie).then(
    (actor) => ({ session: actor !== null }),
    () => ({}),
  );
}

/** What the console must know before it talks to anybody (SH-09). No secrets. */
export function runtimeConfig(ctx: Context) {
  const { links, operator, pageSize, connectionTimeoutHours, claimingDomains, deviceLinkRoot, allowedOrigins } =
    ctx.config;
  const { publicUrl, firmware } = ctx.config;
  return {
    links,
    operator,
    pageSize,
    connectionTimeoutHours,
    claimingDomains,
    deviceLinkRoot,
    allowedOrigins,
    publicUrl,
    firmwareMaxBytes: firmware.maxBytes,
  };
}
