// Starts simulated sensors, and sends RPC requests to them.

import { expect } from "@playwright/test";
import { type Api, newName, newSensorId, type Simulate } from "./world.ts";

type Sensor = {
  _id: string;
  psconnect: { connectionStatus: string } | null;
  vpn: object | null;
  scomState: { isConnected: boolean };
};

const holdsTunnel = ({ psconnect }: Sensor) => psconnect?.connectionStatus === "connected";
export const isConnected = ({ scomState }: Sensor) => scomState.isConnected;
export const hasVpnOption = ({ vpn }: Sensor) => vpn !== null;

/**
 * Starts a new sensor and waits until it is ready, which by default means that it is reachable by RPC. `args` are passed to the
 * simulator.
 */
export async function startSensor(
  api: Api,
  simulate: Simulate,
  type: "APS" | "ZOD" | "PS.C1",
  { isReady = holdsTunnel, args = [] }: { isReady?: (sensor: Sensor) => boolean; args?: string[] } = {},
): Promise<{ id: string; end: () => void }> {
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("simulated"), owner });
  const id = newSensorId();
  const child = simulate("one", "--id", id, "--type", type, "--token", token, ...args);
  const path = `/api/sensor/${id}`;
  const look = async () => (await api.status(path)) === 200 && isReady(await api.get<Sensor>(path));
  await expect.poll(look).toBe(true);
  return { id, end: () => void child.kill("SIGKILL") };
}

export async function findConnectedSensor(api: Api, type: "APS" | "ZOD" | "PS.C1"): Promise<string> {
  let id = "";
  const look = async () => {
    const { objects } = await api.get<{ objects: Sensor[] }>(
      `/api/v2/sensor?sensorType=${type}&connected=connected&sortBy=_id&limit=100`,
    );
    id = objects.find(holdsTunnel)?._id ?? "";
    return id;
  };
  await expect.poll(look).not.toBe("");
  return id;
}

async function askSensor<T>(api: Api, id: string, method: string, params: object): Promise<T> {
  const call = { jsonrpc: "2.0", id: 1, method, params };
  return (await api.post<{ result: T }>(`/api/sensor/${id}/rpc`, call)).result;
}

type Section = { rev: number; values: Record<string, unknown> };

/** Current values of a section, in a form in which they can be sent back. */
export async function readSection(api: Api, id: string, section: string): Promise<Section> {
  const { rev, values } = await askSensor<Section>(api, id, "config.get", { section });
  // Password flags are read-only.
  return { rev, values: Object.fromEntries(Object.entries(values).filter(([name]) => !name.endsWith("Set"))) };
}

/** The sensor refuses this if the section has changed since `rev`. */
export function setSection(api: Api, id: string, section: string, { rev, values }: Section): Promise<unknown> {
  return askSensor(api, id, "config.set", { section, values, rev });
}
