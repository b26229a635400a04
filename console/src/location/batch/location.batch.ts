// Sends a batch over locations to the server.
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import { batchDeleteLocations, batchUpdateLocations } from "@psp/contract/location/location.batch.api.ts";
import { call } from "../../api/call.ts";
import type { FormerHours, LocationBatchReply } from "@psp/contract/location/location.batch.api.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";

export type LocationChanges = ClientInput<typeof batchUpdateLocations>["body"]["changes"];
export type LocationTarget = ClientInput<typeof batchDeleteLocations>["body"];

/** Updates the locations, or deletes them if `changes` is null. `onCount` is called on a count mismatch. */
export function createLocationBatch(
  target: LocationTarget,
  changes: LocationChanges | null,
  onCount: (count: number) => void,
  onReply: (reply: LocationBatchReply) => void = () => undefined,
): BatchRun {
  return async ({ onlyIds }) => {
    const body = onlyIds === undefined ? target : { measIDs: [...onlyIds] };
    const sent =
      changes === null
        ? call(batchDeleteLocations, { body })
        : call(batchUpdateLocations, { body: { ...body, changes } });
    const reply: LocationBatchReply = await confirmAgainOnMismatch(sent, onCount);
    onReply(reply);
    return reply;
  };
}

/** Restores former hours. Each location is checked again by the server. */
export async function restoreHours(former: FormerHours): Promise<{ undone: number; failed: number }> {
  let [undone, failed] = [0, 0];
  for (const { openingHours, ids } of former) {
    const body = { measIDs: ids, changes: { openingHours } };
    const { success, fail } = await call(batchUpdateLocations, { body });
    undone += success;
    failed += fail.length;
  }
  return { undone, failed };
}

/** Replaces the parts of the address that a geocoder can return. Parts missing in the result become null. */
export function toAddressChange({ formatted, address, geo }: GeocodeResult): LocationChanges {
  const { street = null, zip = null, city = null, state = null, country = null } = address;
  return { location: { address: { street, zip, city, state, country, formatted }, geo } };
}
