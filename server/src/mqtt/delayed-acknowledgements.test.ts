// Tests with a real broker that a client handles messages concurrently and acknowledges each after its commit.
import { type AddressInfo, createServer } from "node:net";
import { Aedes } from "aedes";
import { connect, type MqttClient } from "mqtt";
import { expect, onTestFinished, test } from "vitest";
import { until } from "../testing/devices/device-world.ts";
import { delayAcknowledgements } from "./delayed-acknowledgements.ts";

async function startBroker() {
  const aedes = await Aedes.createBroker();
  const server = createServer(aedes.handle);
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const counts = { acknowledged: 0 };
  aedes.on("ack", () => {
    counts.acknowledged += 1;
  });
  onTestFinished(async () => {
    await new Promise<void>((resolve) => aedes.close(resolve));
    server.close();
  });
  const publish = (payload: string) =>
    new Promise<void>((resolve, reject) => {
      const packet = { cmd: "publish", topic: "t", payload, qos: 1, dup: false, retain: false } as const;
      aedes.publish(packet, (error) => (error ? reject(error) : resolve()));
    });
  return { port: (server.address() as AddressInfo).port, counts, publish };
}

async function subscribe(port: number, handle: (text: string) => Promise<void>): Promise<MqttClient> {
  const client = connect(`mqtt://127.0.0.1:${port}`, { protocolVersion: 5, clientId: "one", reconnectPeriod: 1 });
  delayAcknowledgements(
    client,
    (_topic, payload) => handle(payload.toString()),
    () => undefined,
  );
  onTestFinished(() => client.endAsync(true));
  await new Promise<void>((resolve) => void client.once("connect", () => resolve()));
  await client.subscribeAsync("t", { qos: 1 });
  return client;
}

test("DE-01 messages are handled while others wait, and acknowledged when they are done", async () => {
  const broker = await startBroker();
  const waiting = new Map<string, () => void>();
  await subscribe(broker.port, (text) => new Promise((resolve) => void waiting.set(text, resolve)));
  const texts = Array.from({ length: 10 }, (_, n) => `${n}`);
  for (const text of texts) await broker.publish(text);
  await until("all are being handled", () => waiting.size === 10);
  expect(broker.counts.acknowledged).toBe(0);
  waiting.get("7")?.();
  await until("one acknowledgement", () => broker.counts.acknowledged === 1);
  for (const done of waiting.values()) done();
  await until("all acknowledgements", () => broker.counts.acknowledged === 10);
});

test("DE-01 a message that fails is answered too, so that it does not occupy the window", async () => {
  const broker = await startBroker();
  await subscribe(broker.port, (text) => (text === "bad" ? Promise.reject(new Error(text)) : Promise.resolve()));
  await broker.publish("bad");
  await broker.publish("good");
  await until("both", () => broker.counts.acknowledged === 2);
});

test("DE-01 a message of an earlier connection is not acknowledged on the next one", async () => {
  const broker = await startBroker();
  const waiting: (() => void)[] = [];
  const client = await subscribe(broker.port, () => new Promise((resolve) => void waiting.push(resolve)));
  await broker.publish("first");
  await until("being handled", () => waiting.length === 1);
  const again = new Promise<void>((resolve) => void client.once("connect", () => resolve()));
  client.stream.destroy();
  await again;
  await until("subscribed again", async () => {
    await broker.publish("second");
    return waiting.length > 1;
  });
  for (const done of waiting.splice(0, 1)) done();
  await new Promise(setImmediate);
  expect(broker.counts.acknowledged).toBe(0);
  for (const done of waiting.splice(0, 1)) done();
  await until("the second", () => broker.counts.acknowledged === 1);
});
