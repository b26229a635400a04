// Calls about the weekly report to use cases, and the address that mail programs end it with.
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
  bind.open(calls.getReportEnding, (_, { query }) => reports.getReportEnding(ctx, query.token));
  bind.open(calls.unsubscribe, (_, { body }, { request }) => reports.unsubscribe(ctx, body.token, request.id));
  bind.open(calls.confirmAlerts, (_, { body }, { request }) => reports.confirm(ctx, body.token, request.id));
}

/** More than any mail program sends. */
const bodyLimit = 4096;

/**
 * One click in a mail program (RFC 8058): a POST to the address of the link itself, by whichever server, without a session
 * or an Origin. To open the address (GET) shows the console's page, and changes nothing.
 */
export function oneClickRoutes(app: FastifyInstance, ctx: Context): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // Forms of either kind; all that they could say is that it is meant.
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
