// Sends a batch over locations to the server.
import type { Sent } from "@psp/contract/kit/endpoint.ts";
import type { FoundPlace } from "@psp/contract/location/geocode.api.ts";
import { batchDeleteLocations, batchUpdateLocations } from "@psp/contract/location/location.batch.api.ts";
import { call } from "../../api/call.ts";
import { orAskAgain } from "../../entity/batch/ask-again.ts";
import type { BatchRun } from "../../ui/batch/batchJob.ts";

export type LocationChanges = Sent<typeof batchUpdateLocations>["body"]["changes"];
export type LocationTarget = Sent<typeof batchDeleteLocations>["body"];

/** Changes the target, or deletes it when `changes` is null. `onCount` receives a number other than expected. */
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
    return orAskAgain(sent, onCount);
  };
}

/** The parts that a search finds; what it knows nothing of stays as it is. */
export function placeChange({ formatted, address, geo }: FoundPlace): LocationChanges {
  const { street = null, zip = null, city = null, state = null, country = null } = address;
  return { location: { address: { street, zip, city, state, country, formatted }, geo } };
}
