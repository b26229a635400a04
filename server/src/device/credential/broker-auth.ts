// Tells an external broker which clients may log in, publish and subscribe, as EMQX asks over HTTP
// (docs/rules/devices.md#authorization-over-http).
import { topicRoot } from "@psp/contract/device/device-topics.ts";
import { formatMac } from "@psp/contract/kit/mac.ts";
import { errorCode } from "@psp/contract/errors.ts";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { AppError } from "../../kit/app-error.ts";
import { clientKey, createRateLimit } from "../../kit/limits/rate-limit.ts";
import { isSameToken } from "../../kit/tokens.ts";
import { canGatewayUse, canPublish, canSubscribe, isOwnLogin } from "../../mqtt/device-access.ts";
import { findUndeletedSensors } from "../presence/presence.store.ts";
import { createBatcher } from "../../db/connection/batcher.ts";
import { createSecretCheck, gatherMs } from "./credential.ts";
import { promoteNextSecrets } from "./renewal.ts";

const loginSchema = z.object({
  clientid: z.string(),
  username: z.string(),
  password: z.string(),
  peerhost: z.string(),
});
const accessSchema = z.object({
  clientid: z.string(),
  username: z.string(),
  topic: z.string(),
  action: z.enum(["publish", "subscribe"]),
});
type Login = z.output<typeof loginSchema>;
type Access = z.output<typeof accessSchema>;

/** Per sensor and address, so that strangers can't lock a sensor out. */
const failedLogins = { max: 10, windowMs: 60_000 };

/** Spares newer versions of EMQX a request for each message of a gateway. */
const gatewayAcl = [{ permission: "allow", action: "all", topic: `${topicRoot}/#` }];

/** Without `MQTT_AUTH=http` the paths do not exist. A request that can't be understood is denied. */
export function brokerAuthRoutes(app: FastifyInstance, ctx: Context): void {
  const { auth } = ctx.config.mqtt;
  if (auth?.by !== "http") return;
  const { isAllowed, isGateway } = createBrokerAuth(ctx, auth);
  const countRefused = (kind: string) => ctx.metrics.deviceMessages.inc({ kind, outcome: "refused" });
  const parse = <S extends z.ZodType>(schema: S, body: unknown) => {
    const parsed = schema.safeParse(body);
    if (!parsed.success) ctx.log.warn({ issues: parsed.error.issues }, "a request of the outside broker is invalid");
    return parsed.data;
  };

  app.register(async (broker) => {
    // Before the body is read.
    broker.addHook("onRequest", async ({ headers }) => {
      if (!isSameToken(headers.authorization ?? "", `Bearer ${auth.secret}`))
        throw new AppError(errorCode.unauthorized);
    });
    broker.post("/broker/v1/authenticate", { config: { call: "authenticateClient" } }, async ({ body }) => {
      const login = parse(loginSchema, body);
      const result = login && (await isAllowed.login(login)) ? "allow" : "deny";
      if (result === "deny") countRefused("connect");
      return {
        result,
        is_superuser: false,
        ...(result === "allow" && login && isGateway(login) ? { acl: gatewayAcl } : {}),
      };
    });
    broker.post("/broker/v1/authorize", { config: { call: "authorizeClient" } }, async ({ body }) => {
      const access = parse(accessSchema, body);
      const result = access && (await isAllowed.access(access)) ? "allow" : "deny";
      if (result === "deny") countRefused(access?.action ?? "publish");
      return { result };
    });
  });
}

/** Rejects if the database is unavailable. */
function createBrokerAuth(ctx: Context, gateway: { username: string; password: string }) {
  const checkSecret = createSecretCheck(ctx, (proved) => promoteNextSecrets(ctx, proved));
  const findUndeleted = createBatcher((sensorIds: string[]) => findUndeletedSensors(ctx.db, sensorIds), gatherMs);
  const failures = createRateLimit(ctx.clock, failedLogins.max, failedLogins.windowMs);
  const isGateway = ({ username }: { username: string }) => username === gateway.username;

  return {
    isGateway,
    isAllowed: {
      async login({ clientid, username, password, peerhost }: Login): Promise<boolean> {
        if (isGateway({ username })) return isSameToken(password, gateway.password);
        if (!isOwnLogin(clientid, username)) return false;
        const key = `${clientid} ${clientKey(peerhost)}`;
        if (failures.take(key) > 0) return false;
        let isWrong = false;
        try {
          isWrong = !(await checkSecret(clientid, password));
        } finally {
          if (!isWrong) failures.giveBack(key);
        }
        return !isWrong;
      },
      /** The broker has authenticated the client. */
      async access({ clientid, username, topic, action }: Access): Promise<boolean> {
        if (isGateway({ username })) return canGatewayUse(topic);
        if (!isOwnLogin(clientid, username)) return false;
        if (!(action === "publish" ? canPublish(clientid, topic) : canSubscribe(clientid, topic))) return false;
        // Sessions of deleted sensors may still be open.
        const sensorId = formatMac(clientid);
        return (await findUndeleted(sensorId)).has(sensorId);
      },
    },
  };
}
