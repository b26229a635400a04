// Receives upload tests of devices; bytes are counted and discarded (docs/rules/sensors.md#upload-tests).
import type { Readable } from "node:stream";
import { errorCode } from "@psp/contract/errors.ts";
import { receiveUploadTest } from "@psp/contract/device/device.api.ts";
import type { FastifyInstance } from "fastify";
import { AppError } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import { requireUploadTicket } from "./sensor.remote.service.ts";

const bodyLimit = 16 * 1024 * 1024;

/** The route has its own body parser, so that nothing is kept in memory. */
export function uploadTestRoutes(app: FastifyInstance, ctx: Context): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", (_request, payload, done) => done(null, payload));
    scope.post<{ Params: { ticket: string } }>(
      "/device/v1/upload-test/:ticket",
      {
        config: { call: receiveUploadTest.name },
        onRequest: async ({ params, headers }) => {
          requireUploadTicket(ctx, params.ticket);
          if (Number(headers["content-length"] ?? 0) > bodyLimit) throw tooLarge();
        },
      },
      async ({ body }, reply) => {
        let bytes = 0;
        for await (const chunk of (body ?? []) as Readable | []) {
          bytes += (chunk as Buffer).length;
          if (bytes > bodyLimit) throw tooLarge();
        }
        return reply.header("cache-control", "no-store").send({ bytes });
      },
    );
  });
}

function tooLarge(): AppError {
  return new AppError(errorCode.invalidArgument, { reason: "The request is too large" }, { status: 413 });
}
