// A location of the demo with all that its occupancy app needs, and the app switched on.

import { expect } from "@playwright/test";
import type { Api } from "./world.ts";

type Unit = { _id: string; measurement: { _id: string } | null; scomState: { isConnected: boolean } };

/** An APS that is connected, and where it hangs. */
async function placeOfAps(api: Api): Promise<string> {
  let place = "";
  const look = async () => {
    const { objects } = await api.get<{ objects: Unit[] }>("/api/v2/sensor?sensorType=APS&sortBy=_id&limit=100");
    place = objects.find(({ scomState, measurement }) => scomState.isConnected && measurement)?.measurement?._id ?? "";
    return place;
  };
  await expect.poll(look, { timeout: 30_000 }).not.toBe("");
  return place;
}

/** The id of a location of this account that the operator's account has licensed; the app is as it was never set. */
export async function licensedLocation(api: Api, support: Api): Promise<string> {
  const id = await placeOfAps(api);
  await support.put(`/api/measurement/${id}/licenses`, { occupancyMeasurement: true });
  await api.put(`/api/measurement/${id}`, { applications: [] });
  return id;
}

/** With the app as it is by default, but on. */
export async function locationWithApp(api: Api, support: Api): Promise<string> {
  const id = await licensedLocation(api, support);
  const app = { type: "ps-occupancy-app", enabled: true, settings: { maxObjects: 1000 } };
  await api.put(`/api/measurement/${id}`, { applications: [app] });
  return id;
}

/** Right after its start the fleet has not counted yet, and no display says more than that. */
export async function untilCounted(api: Api, id: string): Promise<void> {
  const look = async () => {
    const { shown } = await api.get<{ shown: { state: string } }>(`/api/measurement/${id}/occupancy/ledger`);
    return shown.state;
  };
  await expect.poll(look, { timeout: 60_000 }).not.toBe("unknown");
}
