// A test sensor that responds to requests: enrolled over HTTP, connected over MQTT.
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { birth, connectDevice, type Device, until } from "./device-world.ts";
import type { Person, World } from "../world.ts";

export type Question = { func: string; data: string; timeout: number; at: number };
/** Sends one message on the request's response topic; objects as JSON, strings unchanged. */
export type Say = (message: object | string) => Promise<unknown>;
export type RemoteSensor = Device & {
  asked: Question[];
  onAsked(respond: (question: Question, say: Say) => unknown): void;
};

export async function requestInitToken(world: World, owner: Person): Promise<string> {
  const made = await world.call(owner, "POST", "/api/init_token", { body: { name: "remote", owner: owner.id } });
  return String(made.at("token"));
}

type EnrolBody = { token: string; id: string; type?: string; time?: number };

/** Enrolls a sensor at `url`, an APS unless `body` has another type. */
export async function enrolSensor(url: string, body: EnrolBody): Promise<EnrolReply> {
  const reply = await fetch(`${url}/device/v1/enrol`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "APS", nonce: "n", time: 0, ...body }),
  });
  if (reply.status !== 201) throw new Error(`enrollment answered ${reply.status}: ${await reply.text()}`);
  return (await reply.json()) as EnrolReply;
}

/** Enrolls at `url`, connects and sends its birth; resolves when the server shows the sensor as connected. */
export async function connectSensor(
  world: World,
  owner: Person,
  id: string,
  { url, mqttPort }: { url: string; mqttPort: number | null } = world.server,
): Promise<RemoteSensor> {
  const enrolled = await enrolSensor(url, { token: await requestInitToken(world, owner), id, time: Date.now() });
  const device = await connectDevice(mqttPort ?? 0, enrolled);
  const asked: Question[] = [];
  let respond: (question: Question, say: Say) => unknown = () => undefined;
  device.client.on("message", (topic, payload, packet) => {
    if (!topic.endsWith("/dn/rpc")) return;
    const question = JSON.parse(payload.toString()) as Question;
    asked.push(question);
    const { responseTopic = "", correlationData = Buffer.alloc(0) } = packet.properties ?? {};
    respond(question, (message) =>
      device.client.publishAsync(responseTopic, typeof message === "string" ? message : JSON.stringify(message), {
        qos: 1,
        properties: { correlationData },
      }),
    );
  });
  await device.up("state", birth("s1"));
  await until("the sensor online", async () => {
    const state = (await world.call(owner, "GET", `/api/sensor/${id}`)).at("scomState.isConnected");
    return state === true;
  });
  return { ...device, asked, onAsked: (next) => void (respond = next) };
}

export function answer(func: string, bytes: string | Buffer, extra: object = {}): object {
  return { ok: true, func, data: Buffer.from(bytes).toString("base64"), timestamp: 1_763_633_000_123, ...extra };
}
