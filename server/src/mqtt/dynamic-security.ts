// Manages credentials in an external broker through Mosquitto's dynamic security (docs/rules/devices.md#external-broker).
import {
  downFilter,
  downKinds,
  downTopic,
  hostStateTopic,
  upKinds,
  upTopic,
} from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import { connect, type MqttClient } from "mqtt";
import type { Context } from "../context.ts";

export type Provisioner = NonNullable<ReturnType<typeof createProvisioner>>;

type Command = Record<string, unknown> & { command: string };
type Reply = { responses: { command: string; error?: string; correlationData?: string }[] };

const controlTopic = "$CONTROL/dynamic-security/v1";
const defaultAnswerMs = 10_000;

/** Null with the embedded broker, which checks secrets itself. `answerMs` is how long to wait for a confirmation. */
export function createProvisioner(ctx: Context, answerMs = defaultAnswerMs) {
  if (ctx.config.mqtt.url === null) return null;
  const client: MqttClient = connect(ctx.config.mqtt.url, { protocolVersion: 5, clean: true, reconnectPeriod: 1000 });
  client.on("error", (error) => ctx.log.warn({ err: error }, "the outside broker's control connection failed"));
  client.on("connect", () => client.subscribe(`${controlTopic}/response`, { qos: 1 }, () => undefined));
  const open = new Map<string, (errors: (string | undefined)[]) => void>();
  let last = 0;

  client.on("message", (topic, payload) => {
    if (topic !== `${controlTopic}/response`) return;
    const { responses } = JSON.parse(payload.toString()) as Reply;
    const id = responses[0]?.correlationData ?? "";
    open.get(id)?.(responses.map((one) => one.error));
  });

  /** Runs commands in one message; returns their errors in order, undefined for success. */
  async function control(commands: Command[]): Promise<(string | undefined)[]> {
    last += 1;
    const id = `${process.pid}-${last}`;
    const { promise, resolve, reject } = Promise.withResolvers<(string | undefined)[]>();
    const timer = setTimeout(() => reject(new Error("the outside broker did not confirm")), answerMs);
    open.set(id, resolve);
    try {
      const message = { commands: commands.map((one) => ({ ...one, correlationData: id })) };
      const sent = client.publishAsync(controlTopic, JSON.stringify(message), { qos: 1 });
      // The timeout also covers a broker that is unavailable.
      await Promise.race([sent, promise]);
      return await promise;
    } finally {
      clearTimeout(timer);
      open.delete(id);
    }
  }

  return {
    /** Creates the device or changes its secret. Rejects if the broker does not confirm. */
    async put(wireId: string, secret: string) {
      const rolename = roleOf(wireId);
      const [role, made] = await control([
        { command: "createRole", rolename, acls: aclsOf(wireId) },
        { command: "createClient", username: wireId, clientid: wireId, password: secret, roles: [{ rolename }] },
      ]);
      if (role && !/exists/i.test(role)) throw new Error(`createRole: ${role}`);
      if (!made) return;
      if (!/exists/i.test(made)) throw new Error(`createClient: ${made}`);
      const errors = await control([
        { command: "setClientPassword", username: wireId, password: secret },
        { command: "enableClient", username: wireId },
      ]);
      const failed = errors.find((error) => error !== undefined);
      if (failed) throw new Error(failed);
    },
    /** Ends the session and deletes the device. Accepts a sensor id or its wire form. */
    async revoke(sensorId: string) {
      const wireId = toWireId(sensorId);
      await control([
        { command: "disableClient", username: wireId },
        { command: "deleteClient", username: wireId },
        { command: "deleteRole", rolename: roleOf(wireId) },
      ]);
    },
    /** Ends the session; the device may reconnect. */
    async kick(wireId: string) {
      await control([
        { command: "disableClient", username: wireId },
        { command: "enableClient", username: wireId },
      ]);
    },
    stop: () => client.endAsync(true),
  };
}

const roleOf = (wireId: string) => `sensor-${wireId}`;

/** Literal topics only, so that a device can't widen its permissions. */
function aclsOf(wireId: string) {
  const allow = (acltype: string, topic: string) => ({ acltype, topic, allow: true, priority: 0 });
  const down = [downFilter(wireId), hostStateTopic, ...downKinds.map((kind) => downTopic(wireId, kind))];
  const up = upKinds.map((kind) =>
    kind === "rpc" ? `${upTopic(wireId, "rpc/x").slice(0, -1)}+` : upTopic(wireId, kind),
  );
  return [
    ...up.map((topic) => allow("publishClientSend", topic)),
    ...[downFilter(wireId), hostStateTopic].map((topic) => allow("publishClientReceive", topic)),
    ...down.map((topic) => allow("subscribeLiteral", topic)),
    ...[downFilter(wireId), hostStateTopic].map((topic) => allow("unsubscribeLiteral", topic)),
  ];
}
