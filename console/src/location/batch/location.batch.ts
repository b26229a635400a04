// Sends a batch over locations to the server.
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import { batchDeleteLocations, batchUpdateLocations } from "@psp/contract/location/location.batch.api.ts";
import { call } from "../../api/call.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";

export type LocationChanges = ClientInput<typeof batchUpdateLocations>["body"]["changes"];
export type LocationTarget = ClientInput<typeof batchDeleteLocations>["body"];

type BatchEvents = {
  /** Called if the number of selected locations is another one. */
  onCount: (count: number) => void;
  onUndoId: ((id: string) => void) | undefined;
};

/** Updates the locations, or deletes them if `changes` is null. */
export function createLocationBatch(
  target: LocationTarget,
  changes: LocationChanges | null,
  { onCount, onUndoId }: BatchEvents,
): BatchRun {
  const update = async (body: LocationTarget, to: LocationChanges) => {
    const { undoID, ...result } = await call(batchUpdateLocations, { body: { ...body, changes: to } });
    if (undoID !== undefined) onUndoId?.(undoID);
    return result;
  };
  return ({ onlyIds }) => {
    const body = onlyIds === undefined ? target : { measIDs: [...onlyIds] };
    const sent = changes === null ? call(batchDeleteLocations, { body }) : update(body, changes);
    return confirmAgainOnMismatch(sent, onCount);
  };
}

/** Replaces the parts of the address that a geocoder can return. Parts missing in the result become null. */
export function toAddressChange({ formatted, address, geo }: GeocodeResult): LocationChanges {
  const { street = null, zip = null, city = null, state = null, country = null } = address;
  return { location: { address: { street, zip, city, state, country, formatted }, geo } };
}
