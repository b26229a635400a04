// Sends a batch over locations to the server.
import type { ClientInput } from "@psp/contract/kit/endpoint.ts";
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import { batchDeleteLocations, batchUpdateLocations } from "@psp/contract/location/location.batch.api.ts";
import { call } from "../../api/call.ts";
import { confirmAgainOnMismatch } from "../../entity/batch/ask-again.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";

export type LocationChanges = ClientInput<typeof batchUpdateLocations>["body"]["changes"];
export type LocationTarget = ClientInput<typeof batchDeleteLocations>["body"];

/** Deletes if `changes` is null. `onCount` is called on a count mismatch. */
export function runOverLocations(
  target: LocationTarget,
  changes: LocationChanges | null,
  onCount: (count: number) => void,
): BatchRun {
  return ({ onlyIds }) => {
    const body = onlyIds === undefined ? target : { measIDs: [...onlyIds] };
    const sent =
      changes === null
        ? call(batchDeleteLocations, { body })
        : call(batchUpdateLocations, { body: { ...body, changes } });
    return confirmAgainOnMismatch(sent, onCount);
  };
}

/** Changes only the parts that the geocoder returned. */
export function addressChange({ formatted, address, geo }: GeocodeResult): LocationChanges {
  const { street = null, zip = null, city = null, state = null, country = null } = address;
  return { location: { address: { street, zip, city, state, country, formatted }, geo } };
}
