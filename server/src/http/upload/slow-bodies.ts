// Bounds how long a body may take to arrive: uploads watch themselves, all others get half a minute.
import type { FastifyInstance } from "fastify";
import { refuseUnreadable } from "../error-reply.ts";

const maxMs = 30_000;

/** Node knows one such bound for the whole server; a firmware of half a gigabyte needs longer than a form. */
export function boundBodies(app: FastifyInstance, uploads: ReadonlySet<string>): void {
  app.addHook("onRequest", (request, reply, done) => {
    const { raw } = request;
    const { socket } = raw;
    const hasBody = raw.headers["content-length"] !== undefined || raw.headers["transfer-encoding"] !== undefined;
    const isUpload = uploads.has((request.routeOptions.config as { call?: string }).call ?? "");
    if (hasBody && isUpload) {
      // Refused before its bytes were wanted: they are watched no more.
      reply.raw.once("finish", () => {
        if (!raw.complete) setTimeout(() => raw.complete || socket.destroy(), maxMs).unref();
      });
    } else if (hasBody) {
      const timer = setTimeout(() => {
        if (raw.complete) return;
        const late = Object.assign(new Error("The body came too slowly"), { code: "ERR_HTTP_REQUEST_TIMEOUT" });
        refuseUnreadable(late, socket, request.id);
      }, maxMs).unref();
      raw.once("close", () => clearTimeout(timer));
    }
    done();
  });
}
