// Test fixture: a server with installable firmware, and sensors over HTTP and MQTT.
import type { DesiredState, EnrolReply } from "@psp/contract/device/device-messages.ts";
import { toMac } from "@psp/contract/kit/mac.ts";
import { fullPermissions } from "@psp/contract/permission/permissions.ts";
import { birth, connectDevice, type Device, until } from "../testing/devices/device-world.ts";
import { enrolSensor, requestInitToken } from "../testing/devices/remote-sensor.ts";
import { createWorld, type Person, type World } from "../testing/world.ts";

export type RolloutScene = {
  world: World;
  owner: Person;
  firmware(version: string, type?: string): Promise<string>;
  /** Enrolls and connects a sensor with version 1.18.0. */
  sensor(options?: { born?: boolean; token?: string }): Promise<Device>;
  /** Reconnects the device with a new session and a birth. `port` may belong to another process. */
  again(device: Device, fw?: string, port?: number | null): Promise<Device>;
  assign(id: string, firmwareId: string | null): ReturnType<World["call"]>;
  seen(id: string): Promise<DisplayedInstallation>;
  pass(ms: number): Promise<void>;
  stop(): Promise<void>;
};
export type DisplayedInstallation = {
  artifact: string | null;
  running: string | null;
  status: string | null | undefined;
  info: string | null | undefined;
  install: { ok: boolean; state: string } | null;
};

export async function createRolloutScene(): Promise<RolloutScene> {
  const world = await createWorld({ env: { PARTS: "api,gateway,worker", TEST_CLOCK: "on" } });
  const owner = await world.account("Harbour Stores", world.root, fullPermissions);
  const token = await requestInitToken(world, owner);
  const credentials = new Map<string, EnrolReply>();
  const devices: Device[] = [];
  let last = 0;

  async function connect(id: string, port = world.server.mqttPort): Promise<Device> {
    const device = await connectDevice(port ?? 0, credentials.get(id) as EnrolReply);
    devices.push(device);
    return device;
  }

  return {
    world,
    owner,
    async firmware(version, type = "APS") {
      const made = await world.upload(owner, { type, name: version }, Buffer.from(`image of ${type} ${version}`));
      if (made.status !== 200) throw new Error(`upload: ${made.status} ${JSON.stringify(made.body)}`);
      return made.id;
    },
    async sensor({ born = true, token: own = token } = {}) {
      last += 1;
      const id = toMac(0x0016_28fb_0000 + last);
      credentials.set(id, await enrolSensor(world.url, { token: own, id }));
      const device = await connect(id);
      if (born) await device.up("state", birth("s1"));
      if (born) await device.heard("desired");
      return device;
    },
    async again(device, fw = "1.18.0", port = world.server.mqttPort) {
      await device.end();
      const next = await connect(device.id, port);
      await next.up("state", birth(`s${devices.length}`, { fw }));
      await next.heard("desired");
      return next;
    },
    assign: (id, firmwareId) => world.call(owner, "PUT", `/api/sensor/${id}`, { body: { artifact: firmwareId ?? "" } }),
    async seen(id) {
      const reply = await world.call(owner, "GET", `/api/sensor/${id}`);
      const task = reply.at("sensorUpdateTask") as { status: string | null; info: string | null } | null;
      const info = reply.at("info") as { software?: { firmware?: { version?: string } } } | null;
      return {
        artifact: (reply.at("artifact") as { _id: string } | null)?._id ?? null,
        running: info?.software?.firmware?.version ?? null,
        status: task?.status,
        info: task?.info,
        install: reply.at("artifactInstallationState") as DisplayedInstallation["install"],
      };
    },
    async pass(ms) {
      const now = new Date(world.ctx.clock.now() + ms).toISOString();
      const reply = await world.call(null, "PUT", "/dev/clock", { body: { now } });
      if (reply.status !== 200) throw new Error(`clock: ${reply.status} ${JSON.stringify(reply.body)}`);
    },
    async stop() {
      await Promise.all(devices.map((device) => device.end()));
      await world.stop();
    },
  };
}

export function desiredState(device: Device): DesiredState | undefined {
  return device.got.filter((got) => got.topic.endsWith("/dn/desired")).at(-1)?.json as DesiredState | undefined;
}

export async function waitForOffer(device: Device, version: string): Promise<string> {
  return until(`the offer of ${version}`, () => {
    const fw = desiredState(device)?.fw;
    return fw?.version === version && fw.job;
  });
}

export function sendJobReport(
  device: Device,
  job: string,
  n: number,
  state: string,
  extra: object = {},
): Promise<void> {
  return device.up("job", { job, state, n, ok: state !== "ERROR", pct: 0, at: 1, ...extra });
}
