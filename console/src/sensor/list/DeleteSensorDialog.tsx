// Asks before a sensor is deleted (spec 2 §2); opens over the list at its delete address.
import { DeleteOwned } from "../../entity/DeleteOwned.tsx";
import { sensor } from "../sensor.entity.ts";

export function DeleteSensorDialog() {
  return <DeleteOwned entity={sensor} />;
}
