// Finds demo sensors with issues.

import { expect } from "@playwright/test";
import type { Api } from "./world.ts";

type Made = { _id: string };
type WithIssues = {
  sens: string;
  measurement: { _id: string; name: string } | null;
  issues: { _id: string; issueType: string; issueStatus: string }[];
};

/** Waits for a demo APS with an unacknowledged issue. */
export async function findSensorWithIssues(api: Api): Promise<WithIssues & { measurement: Made }> {
  let found: WithIssues | undefined;
  const look = async () => {
    const { objects } = await api.get<{ objects: WithIssues[] }>("/api/v2/issue/by-sensor?limit=100");
    const { objects: aps } = await api.get<{ objects: Made[] }>("/api/v2/sensor?sensorType=APS&limit=500");
    found = objects.find(({ sens, measurement }) => measurement !== null && aps.some(({ _id }) => _id === sens));
    return found !== undefined;
  };
  await expect.poll(look).toBe(true);
  if (found === undefined || found.measurement === null) throw new Error("no sensor has issues");
  return { ...found, measurement: found.measurement };
}
