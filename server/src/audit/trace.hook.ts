// Writes audit rows for calls that write nothing themselves: exports, and refused sign-ins, claims and writes (ADR 0011).
import { exportAudit } from "@psp/contract/audit/audit.api.ts";
import {
  type AuditExport,
  type AuditRefusal,
  auditExportAction,
  auditExportSchema,
  type RefusalAction,
  auditRefusalSchema,
} from "@psp/contract/audit/audit.ts";
import { login } from "@psp/contract/auth/auth.api.ts";
import { claimSensors, findClaimable } from "@psp/contract/claim/claim.api.ts";
import { aggregateJson } from "@psp/contract/datapoint/datapoint.api.ts";
import { errorCode, errorEntries, errorEntry, type ServerErrorCode } from "@psp/contract/errors.ts";
import type { LiveType } from "@psp/contract/live/live-message.ts";
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import type { FastifyRequest } from "fastify";
import { AppError } from "../kit/app-error.ts";
import { findAccountByEmail } from "../auth/auth.service.ts";
import type { Context } from "../context.ts";
import { write } from "../db/write.ts";
import type { IncomingCall, CallObserver } from "../http/bind.ts";
import { clientKey, createRateLimit } from "../kit/limits/rate-limit.ts";
import { publishEntity } from "../owned/change.ts";
import { findOwnerPosition } from "./audit.store.ts";

export type CallAudit = CallObserver & {
  /** Records a refused sign-in of a display, whose link contains the encrypted email address and password. */
  refusedLogin(request: FastifyRequest, call: string, email: string, error: unknown): void;
  /** Resolves when all rows so far are written, or after five seconds if the database is unavailable. */
  settled(): Promise<void>;
};

const windowMs = 60_000;
/** Rows per minute of one kind about one account, summed over all clients. */
const maxPerAccount = 100;
/** Queued rows; further ones are counted and dropped. */
const maxWaiting = 1000;
const lookTimeoutMs = 5000;

type Mark = {
  action: RefusalAction | typeof auditExportAction;
  object: { type: string; _id: string };
  after: AuditRefusal | AuditExport;
};

/**
 * Writes rows asynchronously, so that refusals are not delayed and the response time does not reveal whether an address is known.
 * Writes at most one row a minute per kind, account and client.
 */
export function createCallAudit(ctx: Context): CallAudit {
  const perClient = createRateLimit(ctx.clock, 1, windowMs);
  const perAccount = createRateLimit(ctx.clock, maxPerAccount, windowMs);
  const perAddress = createRateLimit(ctx.clock, 1, windowMs);
  let waiting = 0;
  let last = Promise.resolve();

  function isDue(action: string, account: string, client: string): boolean {
    return perClient.take(`${action} ${account} ${client}`) === 0 && perAccount.take(`${action} ${account}`) === 0;
  }

  function later(work: () => Promise<void>): void {
    if (waiting >= maxWaiting) return ctx.metrics.tracesLost.inc();
    waiting += 1;
    last = last
      .then(work)
      .catch((error: unknown) => ctx.log.warn({ err: error }, "a refusal or an export was not written down"))
      .finally(() => (waiting -= 1));
  }

  function addRow({ caller, request }: IncomingCall, mark: Mark): void {
    if (!caller || !isDue(mark.action, caller.id, clientOf(request))) return;
    const at = ctx.clock.date();
    later(async () => {
      const owner = await findOwnerPosition(ctx.db, mark.object.type, mark.object._id);
      await write(ctx, { ...caller, request: { ...caller.request, idempotency: null } }, async (w) => {
        w.audit({ ...mark, owner, at });
        // Only the object's audit log changed; consoles that show it should reload it.
        if (mark.action === "write-refused" && owner !== null && mark.object._id !== caller.id) {
          const { type, _id: id } = mark.object;
          publishEntity(w, { type: type as LiveType, op: "update", id, ownerBefore: owner.id, ownerAfter: owner.id });
        }
      });
    });
  }

  /** The caller is unknown, so the row is about the account with the submitted email address, if there is one. */
  function addLoginRow(request: FastifyRequest, email: string, after: AuditRefusal): void {
    const client = clientOf(request);
    const address = createHash("sha256").update(email).digest("base64");
    if (perAddress.take(`${address} ${client}`) > 0) return;
    const at = ctx.clock.date();
    later(async () => {
      const owner = await findAccountByEmail(ctx, email);
      if (!isDue("login-refused", owner?.id ?? "", client)) return;
      const object = { type: "account", _id: owner?.id ?? "" };
      await write(ctx, { system: request.id }, async (w) =>
        w.audit({ action: "login-refused", object, owner, after, at }),
      );
    });
  }

  const ignoreErrors =
    (look: (incoming: IncomingCall, outcome: unknown) => void) =>
    (incoming: IncomingCall, outcome: unknown): void => {
      try {
        look(incoming, outcome);
      } catch (error) {
        ctx.log.error({ err: error, call: incoming.call.name }, "the end of a call could not be judged");
      }
    };

  return {
    async settled() {
      const lookTimeout = new AbortController();
      const late = setTimeout(lookTimeoutMs, undefined, { signal: lookTimeout.signal, ref: false }).catch(
        () => undefined,
      );
      await Promise.race([last, late]);
      lookTimeout.abort();
    },
    refusedLogin(request, call, email, error) {
      if (error instanceof AppError && isLoginRefusal(error)) addLoginRow(request, email, refusalOf(call, error));
    },
    failed: ignoreErrors((incoming, error) => {
      if (!(error instanceof AppError)) return;
      const action = actionOf(incoming, error);
      if (action === null) return;
      const after = refusalOf(incoming.call.name, error);
      if (action === "login-refused") addLoginRow(incoming.request, (incoming.body as { email: string }).email, after);
      else
        addRow(incoming, { action, object: action === "claim-refused" ? selfOf(incoming) : objectOf(incoming), after });
    }),
    answered: ignoreErrors((incoming, answer) => {
      if (isExport(incoming))
        addRow(incoming, { action: auditExportAction, object: selfOf(incoming), after: exportOf(incoming) });
      const refused = refusedPartOf(incoming, answer);
      if (refused === null) return;
      const { status, message } = errorEntry(refused.code);
      const after = { call: incoming.call.name, status, code: refused.code, error: message };
      addRow(incoming, { action: refused.action, object: refused.object, after });
    }),
  };
}

/** Maximum recorded filters per export. */
const maxFilters = 50;

const clientOf = (request: FastifyRequest): string => clientKey(request.ip);

function actionOf({ call, caller, body }: IncomingCall, { code, status }: AppError): RefusalAction | null {
  if (call.name === login.name) return body !== undefined && isLoginRefusal({ code, status }) ? "login-refused" : null;
  if (!caller) return null;
  const isClaim = call.name === findClaimable.name || call.name === claimSensors.name;
  if (isClaim && (code === errorCode.notFound || status === 429)) return "claim-refused";
  return call.method !== "GET" && status === 403 && isOfRights(code) ? "write-refused" : null;
}

const isLoginRefusal = ({ code, status }: Pick<AppError, "code" | "status">) =>
  code === errorCode.unauthorized || status === 429;

function refusalOf(call: string, { code, status, message }: AppError): AuditRefusal {
  return auditRefusalSchema.parse({ call, status, code, error: status === 429 ? "Rate limit reached." : message });
}

const isOfRights = (code: number) => code >= errorCode.noAssignRole && code <= errorCode.noView;
/** The outcome of a batch contains messages of the error catalog instead of codes. */
const codesBySentence = new Map<string, ServerErrorCode>(
  errorEntries
    .filter(({ code, status }) => isOfRights(code) && status === 403)
    .map(({ message, code }) => [message, code] as const),
);

/** A successful response may contain refused claims or batch items. */
function refusedPartOf(incoming: IncomingCall, answer: unknown) {
  if (incoming.call.name === claimSensors.name) {
    const isAnyWrong = (answer as { status: string }[]).some(({ status }) => status !== "CLAIMED");
    return isAnyWrong ? { action: "claim-refused" as const, code: errorCode.notFound, object: selfOf(incoming) } : null;
  }
  const { type } = placeOf(incoming);
  const fail = (answer as { fail?: unknown } | null | undefined)?.fail;
  if (type === null || !Array.isArray(fail)) return null;
  for (const { id, errMessage } of fail as { id: string; errMessage: string }[]) {
    const code = codesBySentence.get(errMessage);
    if (code !== undefined) return { action: "write-refused" as const, code, object: { type, _id: id } };
  }
  return null;
}

const selfOf = ({ caller }: IncomingCall) => ({ type: "account", _id: caller?.id ?? "" });

function objectOf(incoming: IncomingCall): Mark["object"] {
  const { type, isOne } = placeOf(incoming);
  const id = incoming.params?.["id"];
  return type !== null && isOne && typeof id === "string" ? { type, _id: id } : selfOf(incoming);
}

/** The object type of a call's path, and whether it addresses a single object. */
function placeOf({ call }: IncomingCall): { type: string | null; isOne: boolean } {
  const [, noun = "", id] = /^\/(?:v2\/)?(\w+)(\/\{id\})?/.exec(call.path) ?? [];
  return { type: types.get(noun) ?? null, isOne: id !== undefined };
}

const words: Record<Exclude<LiveType, "issue">, string> = {
  account: "account",
  role: "role",
  sensor: "sensor",
  "init-token": "init_token",
  measurement: "measurement",
  event: "event",
  artifact: "artifact",
  report: "report",
};
const types = new Map(Object.entries(words).map(([type, word]) => [word, type]));

/** Aggregates that the console requests, with its cookie, do not count as exports. */
function isExport({ call, request, query }: IncomingCall): boolean {
  if (call.name === exportAudit.name) return true;
  const isShown = request.headers.authorization === undefined && query?.["token"] === undefined;
  return call.root === "/data" && !(call.name === aggregateJson.name && isShown);
}

function exportOf({ call, query }: IncomingCall): AuditExport {
  const filter = query?.["filter"];
  const given = ["from", "to", "preset", "type", "acc", "objectType", "objectID"].flatMap((name) => {
    const value = query?.[name];
    return typeof value === "string" ? [[name, value]] : [];
  });
  const filters: unknown[] = Array.isArray(filter) ? filter.slice(0, maxFilters) : [];
  return auditExportSchema.parse({ ...Object.fromEntries(given), call: call.name, filter: filters });
}
