// Sends thousands of broken packets to the embedded broker; the seed reproduces a failure (T-15).
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import {
  batch,
  birth,
  createCountRecord,
  createDeviceWorld,
  type Device,
  type DeviceWorld,
} from "../testing/devices/device-world.ts";
import { openRawSocket, rawPackets } from "../testing/devices/raw-mqtt.ts";
import { rounds } from "@psp/contract/kit/rounds.testing.ts";

let world: DeviceWorld;
beforeAll(async () => {
  world = await createDeviceWorld();
});
afterAll(() => world.stop());

const open: Device[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.end()));
});
async function device(): Promise<Device> {
  const made = await world.connect(await world.enrol());
  open.push(made);
  return made;
}

test(
  "DE-01 thousands of mutated packets neither end the server nor reach another device",
  { timeout: 300_000 },
  async () => {
    const witness = await device();
    await witness.up("state", birth("w1"));
    await witness.heard("desired");
    await witness.heard("ack");
    const before = await world.row(witness.id);
    witness.got.length = 0;
    const reply = await world.enrol();
    const { clientId: id, password } = reply.mqtt;
    const random = mulberry(20_261_120);
    const seeds = [
      rawPackets.connect(id, password),
      rawPackets.publish(`sdp/1/${id}/up/data`, JSON.stringify(batch([createCountRecord(1)]))),
      rawPackets.publish(`sdp/1/${witness.wire}/up/state`, JSON.stringify({ online: false, sid: "w1" })),
      rawPackets.publish(`sdp/1/${witness.wire}/dn/cmd`, JSON.stringify({ do: "rebirth" })),
      rawPackets.subscribe(`sdp/1/${id}/dn/#`),
      rawPackets.subscribe("#"),
      rawPackets.unsubscribe("#"),
      rawPackets.ping(),
      rawPackets.disconnect(),
    ];
    for (let sent = 0; sent < rounds(1_000, 20_000); sent += 50) {
      const sockets = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const socket = await openRawSocket(world.port());
          if (random() < 0.7) socket.send(rawPackets.connect(id, password));
          const n = 1 + Math.floor(random() * 4);
          for (let i = 0; i < n; i += 1)
            socket.send(mutate(seeds[Math.floor(random() * seeds.length)] ?? rawPackets.ping(), random));
          return socket;
        }),
      );
      // Once this is acknowledged, the server has processed everything sent before.
      await witness.up("log", "{}");
      for (const { socket } of sockets) socket.destroy();
    }
    expect(witness.client.connected).toBe(true);
    expect(witness.got).toEqual([]);
    // If the test takes more than a minute, the witness's message updates its last contact.
    const { last_contact_at: lastContactAt } = await world.row(witness.id);
    expect(await world.row(witness.id)).toEqual({ ...before, last_contact_at: lastContactAt });
    const healthy = await device();
    await healthy.up("state", birth("h1"));
    await healthy.heard("desired");
  },
);

/** Seeded, so that a failing round can be repeated. */
function mulberry(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d_2b_79_f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

function mutate(packet: Buffer, random: () => number): Buffer {
  const bytes = Buffer.from(packet);
  const kind = random();
  if (kind < 0.2) return bytes;
  if (kind < 0.7) {
    for (let i = 0; i < 1 + random() * 4; i += 1)
      bytes[Math.floor(random() * bytes.length)] = Math.floor(random() * 256);
    return bytes;
  }
  if (kind < 0.85) return bytes.subarray(0, Math.floor(random() * bytes.length));
  return Buffer.concat([
    bytes,
    Buffer.from(Array.from({ length: Math.floor(random() * 64) }, () => Math.floor(random() * 256))),
  ]);
}
