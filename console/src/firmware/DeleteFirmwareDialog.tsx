// Asks before a firmware is deleted; opens over the list at its delete address.
import { DeleteOwned } from "../entity/DeleteOwned.tsx";
import { firmware } from "./firmware.entity.ts";

export function DeleteFirmwareDialog() {
  return <DeleteOwned entity={firmware} />;
}
