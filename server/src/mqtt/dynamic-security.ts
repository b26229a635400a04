// Manages credentials in an external broker through Mosquitto's dynamic security (docs/rules/devices.md#external-broker).
import { randomUUID } from "node:crypto";
import { downFilter, downTopic, hostStateTopic, upTopic } from "@psp/contract/device/device-topics.ts";
import { wireId as toWireId } from "@psp/contract/kit/ids.ts";
import type { Context } from "../context.ts";
import { isWireId } from "./device-access.ts";
import { type BrokerLink, createLinks } from "./external-clients.ts";

export type Provisioner = NonNullable<ReturnType<typeof createProvisioner>>;

type Command = Record<string, unknown> & { command: string };
type Listed = { clients?: string[]; roles?: string[] };
type Publish = (topic: string, payload: string, retain: boolean) => Promise<void>;
type Response = { command: string; error?: string; correlationData?: string; data?: Listed };

const controlTopic = "$CONTROL/dynamic-security/v1";
const defaultAnswerMs = 10_000;
const pageSize = 1_000;

/** Null if the broker has no dynamic security. `answerMs` is how long to wait for a confirmation. */
export function createProvisioner(ctx: Context, answerMs = defaultAnswerMs) {
  if (ctx.config.mqtt.auth?.by !== "dynamic-security") return null;
  const link = createLinks(ctx)("control", [`${controlTopic}/response`]);
  const { control, inTime, stop } = createControl(link, answerMs);

  /** Deletes what the broker retains of a device, so that a later owner's device does not get the former desired state. */
  async function forget(wireId: string): Promise<void> {
    const topics = [downTopic(wireId, "desired"), upTopic(wireId, "state"), upTopic(wireId, "reported")];
    await inTime((publish) => Promise.all(topics.map((topic) => publish(topic, "", true))));
  }

  async function list(command: "listClients" | "listRoles"): Promise<string[]> {
    const found: string[] = [];
    for (;;) {
      const [response] = await control([{ command, count: pageSize, offset: found.length }]);
      if (response?.error) throw new Error(`${command}: ${response.error}`);
      const page = response?.data?.clients ?? response?.data?.roles ?? [];
      found.push(...page);
      if (page.length < pageSize) return found;
    }
  }

  return {
    link,
    /** Creates the device or changes its secret. Rejects if the broker does not confirm. */
    async put(wireId: string, secret: string) {
      const rolename = roleOf(wireId);
      const roles = [{ rolename }, { rolename: sharedRole["rolename"] }];
      const made = await control([
        sharedRole,
        { command: "createRole", rolename, acls: aclsOf(wireId) },
        { command: "createClient", username: wireId, clientid: wireId, password: secret, roles },
      ]);
      const failed = made.find(({ error }) => error !== undefined && !/exists/i.test(error));
      if (failed) throw new Error(`${failed.command}: ${failed.error}`);
      if (made.at(-1)?.error === undefined) return;
      const changed = await control([
        { command: "setClientPassword", username: wireId, password: secret },
        { command: "enableClient", username: wireId },
      ]);
      const refused = changed.find(({ error }) => error !== undefined);
      if (refused) throw new Error(`${refused.command}: ${refused.error}`);
    },
    forget,
    /** Ends the session and deletes the device and its retained messages. Accepts a sensor id or its wire form. */
    async revoke(sensorId: string) {
      const wireId = toWireId(sensorId);
      // First, because a device that was deleted is not found again.
      await forget(wireId);
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
    /** The devices that the broker knows, as a client or by a role that is left over, in wire form. */
    async list(): Promise<string[]> {
      const roles = (await list("listRoles")).filter((name) => name.startsWith(rolePrefix));
      const ids = [...(await list("listClients")), ...roles.map((name) => name.slice(rolePrefix.length))];
      return [...new Set(ids)].filter(isWireId);
    },
    stop() {
      stop();
      return link.stop();
    },
  };
}

/** Runs commands over a link. Rejects if the broker does not respond in time, or when it is stopped. */
function createControl(link: BrokerLink, answerMs: number) {
  const { client } = link;
  /** What is not sent yet. */
  const held = new Set<() => void>();
  link.watch(() => {
    if (link.isUp()) for (const send of held) send();
  });
  let isStopped = false;
  const open = new Map<string, (responses: Response[]) => void>();
  const waiting = new Set<(reason: Error) => void>();

  client.on("message", (topic, payload) => {
    if (topic !== `${controlTopic}/response`) return;
    const { responses } = JSON.parse(payload.toString()) as { responses: Response[] };
    const id = responses[0]?.correlationData ?? "";
    open.get(id)?.(responses);
  });

  /**
   * Rejects if `work` takes too long. The client keeps what it can't send and sends it later, but nothing may change after its call has
   * failed: a newer password could be overwritten.
   */
  async function inTime<T>(work: (publish: Publish) => Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    const timer = setTimeout(() => reject(new Error("the outside broker did not confirm")), answerMs);
    const unsent = new Set<number>();
    const sends: (() => void)[] = [];
    async function publish(topic: string, payload: string, retain: boolean): Promise<void> {
      if (isStopped) throw new Error("the process stops");
      if (!link.isUp()) {
        const { promise: up, resolve } = Promise.withResolvers<void>();
        held.add(resolve);
        sends.push(resolve);
        await up;
      }
      const sent = client.publishAsync(topic, payload, { qos: 1, retain });
      const messageId = client.getLastMessageId();
      unsent.add(messageId);
      await sent;
      unsent.delete(messageId);
    }
    waiting.add(reject);
    try {
      return await Promise.race([work(publish), promise]);
    } catch (error) {
      for (const messageId of unsent) client.removeOutgoingMessage(messageId);
      throw error;
    } finally {
      for (const send of sends) held.delete(send);
      clearTimeout(timer);
      waiting.delete(reject);
    }
  }

  /** Runs commands in one message; returns their responses in order. */
  async function control(commands: Command[]): Promise<Response[]> {
    // Every process receives all responses, and process ids are equal in containers.
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<Response[]>();
    open.set(id, resolve);
    const message = JSON.stringify({ commands: commands.map((one) => ({ ...one, correlationData: id })) });
    try {
      return await inTime((publish) => publish(controlTopic, message, false).then(() => promise));
    } finally {
      open.delete(id);
    }
  }

  return {
    control,
    inTime,
    stop() {
      isStopped = true;
      for (const reject of waiting) reject(new Error("the process stops"));
    },
  };
}

const rolePrefix = "sensor-";
const roleOf = (wireId: string) => `${rolePrefix}${wireId}`;

const allow = (acltype: string, topic: string) => ({ acltype, topic, allow: true, priority: 0 });

/** What all devices may do. Mosquitto 2.0 has no patterns for the client's own topics. */
const sharedRole: Command = {
  command: "createRole",
  rolename: "sensor",
  acls: [
    allow("publishClientReceive", hostStateTopic),
    allow("subscribeLiteral", hostStateTopic),
    allow("unsubscribePattern", "#"),
  ],
};

/** Mosquitto writes all roles to its file with each change, so that each has few entries. */
function aclsOf(wireId: string) {
  return [
    allow("publishClientSend", `${upTopic(wireId, "state").replace(/[^/]+$/, "")}+`),
    allow("publishClientSend", upTopic(wireId, "rpc/+")),
    allow("publishClientReceive", downFilter(wireId)),
    allow("subscribePattern", downFilter(wireId)),
  ];
}
