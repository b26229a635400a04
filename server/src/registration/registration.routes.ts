// Maps registration calls to use cases, and limits sign-ups per client.
import * as calls from "@psp/contract/registration/registration.api.ts";
import { tooManyRequests } from "../kit/app-error.ts";
import type { Context } from "../context.ts";
import type { Binder } from "../http/bind.ts";
import { createKeyedQueue } from "../kit/limits/keyed-queue.ts";
import { clientKey, createRateLimit } from "../kit/limits/rate-limit.ts";
import * as registrations from "./registration.service.ts";
import { signUp } from "./sign-up.service.ts";

const signUpsPerClient = { max: 30, windowMs: 60_000 };

export function registrationRoutes(bind: Binder, ctx: Context): void {
  const find = (_: null, link: registrations.RegistrationLink) => registrations.getRegistration(ctx, link);
  const budget = createRateLimit(ctx.clock, signUpsPerClient.max, signUpsPerClient.windowMs);
  // Handles the forms of one link one at a time, so that only the accepted one costs a password hash.
  const byLink = createKeyedQueue();
  bind.open(calls.getRegistration, (_, { params }) => find(null, params), find);
  bind.open(
    calls.completeRegistration,
    (_, { params, body }, { request }) =>
      byLink(params.regId, () => registrations.completeRegistration(ctx, params, body, request.id)),
    find,
  );
  bind.open(
    calls.verifyRegistration,
    (_, { params }, { request }) => registrations.verifyRegistration(ctx, params, params.code, request.id),
    find,
  );
  bind.open(calls.getVerification, (_, { params }) => registrations.getVerification(ctx, params, params.code), find);
  bind.open(
    calls.endRegistration,
    (_, { params }, { request }) => registrations.endRegistration(ctx, params, params.code, request.id),
    find,
  );
  bind.open(calls.signUp, async (_, { body }, { request }) => {
    const wait = budget.take(clientKey(request.ip));
    if (wait > 0) throw tooManyRequests(wait);
    await signUp(ctx, body, request.id);
    return {};
  });
}
