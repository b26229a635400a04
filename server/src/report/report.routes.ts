// Maps calls of reports to use cases, and serves the one-click unsubscribe of mail programs.
import { createHash } from "node:crypto";
import { errorCode } from "@psp/contract/errors.ts";
import * as calls from "@psp/contract/report/report.api.ts";
import * as subscriptions from "@psp/contract/report/subscription.api.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Context } from "../context.ts";
import type { Binder, ResponseSent } from "../http/bind.ts";
import type { HeavyReads } from "../http/heavy-reads.ts";
import { disconnectSignal, onResponseClosed } from "../http/long-calls.ts";
import { sendBytes } from "../http/send-bytes.ts";
import { AppError } from "../kit/app-error.ts";
import type { Caller } from "../kit/caller.ts";
import { getOwned } from "../owned/change.ts";
import * as links from "./recipient/subscription.service.ts";
import { reports } from "./report.noun.ts";
import * as service from "./report.service.ts";
import * as history from "./run/history.service.ts";
import * as weekly from "./weekly.service.ts";

export function reportRoutes(bind: Binder, ctx: Context, { heavy }: { heavy: HeavyReads }): void {
  const find = (caller: Caller, { id }: { id: string }) => getOwned(ctx, reports, caller, id);
  bind.session(calls.listReports, (caller, { query }) => service.listReports(ctx, caller, query));
  bind.session(calls.getReport, (caller, { params }) => getOwned(ctx, reports, caller, params.id), find);
  bind.session(calls.createReport, (caller, { body }) => service.createReport(ctx, caller, body));
  bind.session(
    calls.updateReport,
    (caller, { params, body }) => service.updateReport(ctx, caller, params.id, body),
    find,
  );
  bind.session(calls.deleteReport, (caller, { params }) => service.deleteReport(ctx, caller, params.id), find);
  bind.session(calls.sendReport, (caller, { params }) => history.sendNow(ctx, caller, params.id), find);
  bind.session(
    calls.previewReport,
    async (caller, { params }, { request, reply }) => {
      const read = (own: Context) => history.previewReport(own, caller, params.id);
      return sendFile(request, reply, await heavy.run(caller.id, disconnectSignal(reply), read));
    },
    find,
  );
  bind.session(calls.listReportRuns, (caller, { params }) => history.listRuns(ctx, caller, params.id), find);
  bind.session(
    calls.getReportFile,
    async (caller, { params }, { request, reply }) => {
      onResponseClosed(reply, heavy.streams.take(caller.id));
      return sendFile(request, reply, await history.getFile(ctx, caller, params));
    },
    find,
  );
  bind.session(subscriptions.getWeeklyReport, (caller) => weekly.getWeeklyReport(ctx, caller));
  bind.session(subscriptions.setWeeklyReport, (caller, { body }) => weekly.setWeeklyReport(ctx, caller, body.enabled));
  bind.open(subscriptions.getMailSubscription, (_, { query }) => links.getSubscription(ctx, query.token));
  bind.open(subscriptions.unsubscribe, (_, { body }, { request }) => links.unsubscribe(ctx, body.token, request.id));
  bind.open(subscriptions.confirmMails, (_, { body }, { request }) => links.confirmMails(ctx, body.token, request.id));
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { name, content }: { name: string; content: Buffer },
): ResponseSent {
  const sha256 = createHash("sha256").update(content).digest("hex");
  return sendBytes(request, reply, {
    size: content.length,
    sha256,
    fileName: name,
    async *read({ from, to }) {
      yield content.subarray(from, to + 1);
    },
  });
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
      { config: { call: subscriptions.unsubscribe.name } },
      async ({ query: { token }, id }, reply) => {
        if (typeof token !== "string" || token.length > 600)
          throw new AppError(errorCode.invalidArgument, { field: "token" });
        await links.unsubscribe(ctx, token, id);
        return reply.header("cache-control", "no-store").send({});
      },
    );
  });
}
