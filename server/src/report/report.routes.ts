// Maps weekly report calls to use cases, and serves the one-click unsubscribe of mail programs.
import { errorCode } from "@psp/contract/errors.ts";
import * as calls from "@psp/contract/report/report.api.ts";
import type { FastifyInstance } from "fastify";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { AppError } from "../kit/app-error.ts";
import * as reports from "./report.service.ts";

export function reportRoutes(bind: Binder, ctx: Context): void {
  bind.session(calls.getWeeklyReport, (caller) => reports.getWeeklyReport(ctx, caller));
  bind.session(calls.setWeeklyReport, (caller, { body }) => reports.setWeeklyReport(ctx, caller, body.enabled));
  bind.open(calls.getMailSubscription, (_, { query }) => reports.getReportSubscription(ctx, query.token));
  bind.open(calls.unsubscribe, (_, { body }, { request }) => reports.unsubscribe(ctx, body.token, request.id));
  bind.open(calls.confirmAlerts, (_, { body }, { request }) => reports.confirmAlertMails(ctx, body.token, request.id));
}

const bodyLimit = 4096;

/**
 * One-click unsubscribe (RFC 8058): a POST to the link's URL without session or Origin. Opening it (GET) shows the console's page and
 * changes nothing.
 */
export function oneClickRoutes(app: FastifyInstance, ctx: Context): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser("*", { parseAs: "string", bodyLimit }, (_request, _body, done) => done(null, undefined));
    scope.post<{ Querystring: { token?: unknown } }>(
      "/unsubscribe",
      { config: { call: calls.unsubscribe.name } },
      async ({ query: { token }, id }, reply) => {
        if (typeof token !== "string" || token.length > 600)
          throw new AppError(errorCode.invalidArgument, { field: "token" });
        await reports.unsubscribe(ctx, token, id);
        return reply.header("cache-control", "no-store").send({});
      },
    );
  });
}
