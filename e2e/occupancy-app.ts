// Creates locations with an occupancy license and an enabled app.

import { expect } from "@playwright/test";
import { type Api, newName, newSensorId, type Simulate } from "./world.ts";

const app = { type: "ps-occupancy-app", enabled: true, settings: { maxObjects: 1000 } };

type Unit = { _id: string; measurement: { _id: string } | null; scomState: { isConnected: boolean } };

async function placeOfAps(api: Api): Promise<string> {
  let place = "";
  const look = async () => {
    const { objects } = await api.get<{ objects: Unit[] }>("/api/v2/sensor?sensorType=APS&sortBy=_id&limit=100");
    place = objects.find(({ scomState, measurement }) => scomState.isConnected && measurement)?.measurement?._id ?? "";
    return place;
  };
  await expect.poll(look).not.toBe("");
  return place;
}

/** A licensed location without app settings; returns its id. */
export async function prepareLicensedLocation(api: Api, support: Api): Promise<string> {
  const id = await placeOfAps(api);
  await support.put(`/api/measurement/${id}/licenses`, { occupancyMeasurement: true });
  await api.put(`/api/measurement/${id}`, { applications: [] });
  return id;
}

export async function prepareLocationWithApp(api: Api, support: Api): Promise<string> {
  const id = await prepareLicensedLocation(api, support);
  await api.put(`/api/measurement/${id}`, { applications: [app] });
  return id;
}

/** A new location with the app and a simulated door. */
export async function createDoorWithApp(api: Api, support: Api, simulate: Simulate) {
  const { _id: owner } = await api.get<{ _id: string }>("/api/auth/user");
  const place = { name: newName("Door"), owner, location: { geo: { type: "Point", coordinates: [13.4, 52.52] } } };
  const { _id: id } = await api.post<{ _id: string }>("/api/measurement", place);
  await support.put(`/api/measurement/${id}/licenses`, { occupancyMeasurement: true });
  const { token } = await api.post<{ token: string }>("/api/init_token", { name: newName("door"), owner });
  const sensor = newSensorId();
  await api.post("/api/sensor", { _id: sensor, type: "APS", owner });
  await api.put(`/api/sensor/${sensor}`, { measID: id });
  await api.put(`/api/measurement/${id}`, { applications: [app] });
  const { stdin } = simulate(
    "one",
    "--id",
    sensor,
    "--token",
    token,
    "--interval",
    "60",
    "--history",
    "1h",
    "--commands",
  );
  return { id, sensor, walk: (way: "in" | "out", people: number) => stdin.write(`walk ${sensor} ${way} ${people}\n`) };
}

/** Waits, because the state is unknown right after the start. */
export async function waitForKnownState(api: Api, id: string): Promise<void> {
  const look = async () => {
    const { shown } = await api.get<{ shown: { state: string } }>(`/api/measurement/${id}/occupancy/ledger`);
    return shown.state;
  };
  await expect.poll(look).not.toBe("unknown");
}
