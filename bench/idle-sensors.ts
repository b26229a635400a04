// Connects sensors that then only answer pings, in a separate process: `node idle-sensors.ts PORT FIRST COUNT PASSWORD`. Their ids are the
// numbers from FIRST on. Prints `ready` when all have subscribed and their births are acknowledged.
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { toMac } from "@psp/contract/kit/mac.ts";
import { downFilter, upTopic } from "@psp/contract/device/device-topics.ts";
import { wireId } from "@psp/contract/kit/ids.ts";
import { generate, parser } from "mqtt-packet";

const atOnce = 50;
const keepaliveSeconds = 300;
const version = { protocolVersion: 5 };
const [, , port = "", first = "", count = "", password = ""] = process.argv;

/** Without a library's client, because this machine must also hold the sensors. */
async function open(number: number): Promise<void> {
  const id = toMac(number);
  const wire = wireId(id);
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => process.exit(1));
  await once(socket, "connect");
  socket.write(
    generate(
      {
        cmd: "connect",
        protocolVersion: 5,
        protocolId: "MQTT",
        clean: true,
        clientId: wire,
        username: wire,
        password: Buffer.from(password),
        keepalive: keepaliveSeconds,
      },
      version,
    ),
  );
  await answered(socket, "connack");
  socket.write(
    generate({ cmd: "subscribe", messageId: 1, subscriptions: [{ topic: downFilter(id), qos: 1 }] }, version),
  );
  await answered(socket, "suback");
  const birth = { online: true, sid: "idle", n: 1, ep: "idle", seq: { first: 1, next: 1 } };
  socket.write(
    generate(
      {
        cmd: "publish",
        topic: upTopic(id, "state"),
        payload: JSON.stringify(birth),
        qos: 1,
        dup: false,
        retain: true,
        messageId: 2,
      },
      version,
    ),
  );
  await answered(socket, "puback");
  socket.on("data", () => undefined);
  setInterval(() => socket.write(generate({ cmd: "pingreq" }, version)), (keepaliveSeconds * 1000) / 2);
}

function answered(socket: Socket, cmd: string): Promise<void> {
  const reader = parser(version);
  return new Promise((resolve, reject) => {
    const read = (data: Buffer) => void reader.parse(data);
    socket.on("data", read);
    reader.on("packet", (packet) => {
      if (packet.cmd !== cmd) return;
      socket.off("data", read);
      const isRefused = packet.cmd === "connack" && packet.reasonCode !== 0;
      if (isRefused) reject(new Error(`refused with ${packet.reasonCode}`));
      else resolve();
    });
  });
}

const last = Number(first) + Number(count);
for (let from = Number(first); from < last; from += atOnce)
  await Promise.all(Array.from({ length: Math.min(atOnce, last - from) }, (_, offset) => open(from + offset)));
process.stdout.write("ready\n");
