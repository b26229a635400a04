// Asks before a location is deleted; opens over the list at its delete address.
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { location } from "./location.entity.ts";

export function DeleteLocationDialog() {
  return <DeleteOwned entity={location} />;
}
