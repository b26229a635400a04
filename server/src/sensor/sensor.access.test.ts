// Tests that a sensor's credential gives access only to the gateway.
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { createWorld, type World } from "../testing/world.ts";
import { connectDevice } from "../testing/devices/device-world.ts";

let world: World;
beforeAll(async () => {
  world = await createWorld({ env: { PARTS: "api,gateway" } });
});
afterAll(() => world.stop());

test("IT-02 from an API token to a listed sensor; neither token nor password is a session", async () => {
  const made = await world.call(world.root, "POST", "/api/init_token", {
    body: { name: "Shop", owner: world.root.id },
  });
  expect(made.status).toBe(200);
  const token = String(made.at("token"));
  const enrolled = await world.call(null, "POST", "/device/v1/enrol", {
    body: { token, id: "00-16-28-fa-8e-68", type: "APS", nonce: "n", time: 0 },
  });
  expect(enrolled.status).toBe(201);
  const reply = enrolled.body as EnrolReply;
  const sensor = await world.call(world.root, "GET", `/api/sensor/${reply.sensorId}`);
  expect(sensor.at("claimingCode")).toBe(reply.claimingCode);
  const device = await connectDevice(reply.mqtt.port, reply);
  for (const secret of [
    reply.mqtt.password,
    token,
    Buffer.from(`${reply.mqtt.username}:${reply.mqtt.password}`).toString("base64"),
  ]) {
    for (const scheme of ["Bearer", "Basic"]) {
      const headers = { authorization: `${scheme} ${secret}` };
      for (const path of ["/api/v2/sensor", `/api/sensor/${reply.sensorId}`, "/api/auth/user"]) {
        expect((await world.call(null, "GET", path, { headers })).status).toBe(401);
      }
    }
  }
  await device.end();
});

test("DE-01 deleting a sensor over the API ends its session and its credential", async () => {
  const token = String(
    (await world.call(world.root, "POST", "/api/init_token", { body: { name: "T", owner: world.root.id } })).at(
      "token",
    ),
  );
  const body = { token, id: "00:16:28:FA:8E:69", type: "APS", nonce: "n", time: 0 };
  const reply = (await world.call(null, "POST", "/device/v1/enrol", { body })).body as EnrolReply;
  const device = await connectDevice(reply.mqtt.port, reply);
  const code = new Promise<number | undefined>((done) =>
    device.client.once("disconnect", (packet) => done(packet.reasonCode)),
  );
  expect((await world.call(world.root, "DELETE", `/api/sensor/${reply.sensorId}`)).status).toBe(200);
  expect(await code).toBe(135);
  await expect(connectDevice(reply.mqtt.port, reply)).rejects.toThrow(/Not authorized/);
  await device.end();
});
