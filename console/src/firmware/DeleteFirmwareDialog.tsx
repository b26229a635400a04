// Asks before a firmware is deleted; opens over the list at its delete address.
import { DeleteDialog } from "../entity/delete-dialog.tsx";
import { useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan, useOwners } from "../session/useCan.ts";
import { labelOf, useDeleteFirmware, useFirmware } from "./firmware.queries.ts";
import { firmwareText } from "./firmware.text.ts";

export function DeleteFirmwareDialog() {
  const id = useParam("id");
  const can = useCan();
  const remove = useDeleteFirmware(id);
  const { data: firmware, error } = useFirmware(id, remove.isIdle);
  const { ownerOf, ready } = useOwners(firmware === undefined ? [] : [firmware.owner._id]);
  const name = firmware === undefined ? id : labelOf(firmware);
  return (
    <DeleteDialog
      found={firmware !== undefined}
      error={error}
      mayDelete={firmware !== undefined && ready ? can.delete("artifact", ownerOf(firmware.owner._id)) : undefined}
      remove={remove}
      title={firmwareText.deleteTitle}
      question={firmwareText.deleteQuestion(name, firmware?.owner.name ?? "")}
      failed={firmwareText.deleteFailed}
      refused={firmwareText.noDelete}
      deleted={firmwareText.deleted(name)}
      back={paths.firmware}
    />
  );
}
