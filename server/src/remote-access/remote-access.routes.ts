// Maps calls about sessions on device pages to use cases.
import * as calls from "@psp/contract/remote-access/remote-access.api.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import type { Caller } from "../kit/caller.ts";
import { getAutoLoginToken, type SensorProbe } from "./auto-login.service.ts";
import * as service from "./remote-access.service.ts";

export type RemoteAccessParts = { probe: SensorProbe };

export function remoteAccessRoutes(bind: Binder, ctx: Context, { probe }: RemoteAccessParts): void {
  const find = (caller: Caller, { id }: { id: string }) => service.requireDevicePageSensor(ctx, caller, id);
  bind.session(
    calls.callPsconnect,
    (caller, { params, body }) => getAutoLoginToken(ctx, caller, params.id, body, probe),
    find,
  );
  bind.session(
    calls.listRemoteSessions,
    (caller, { params }) => service.listRemoteSessions(ctx, caller, params.id),
    find,
  );
  bind.session(
    calls.changeRemoteSession,
    (caller, { params, body }) => service.changeRemoteSession(ctx, caller, params, body),
    find,
  );
  bind.session(calls.endRemoteSession, (caller, { params }) => service.endRemoteSession(ctx, caller, params), find);
  bind.session(calls.getRemoteConsent, (caller) => service.getRemoteConsent(ctx, caller));
  bind.session(calls.setRemoteConsent, (caller, { body }) => service.setRemoteConsent(ctx, caller, body.required));
}
