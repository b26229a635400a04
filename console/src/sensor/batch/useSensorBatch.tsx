// What can be done with the selected sensors of the list, with a reason where none at all could be changed so (SE-03).
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { changeOwnerSets, deleteSet, editSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useQuery } from "@tanstack/react-query";
import type { Search } from "../../address/address.ts";
import { call } from "../../api/call.ts";
import { type ListAction, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../session/useCan.ts";
import { sensorText } from "../sensor.text.ts";
import { DeleteSensorsDialog, SetFieldDialog } from "./SensorBatchDialogs.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { BatchField } from "./sensor.batch.values.ts";

/** `filters` and `total` of the list that is shown. */
export function useSensorBatch(filters: Search, total: number): ListBatch {
  const { actor, viewType } = useCan();
  const hasFirmware = useHasFirmware(viewType("artifact"));
  const noEdit = isEmptySet(editSet(actor, "sensor")) ? sensorText.noEdit : undefined;
  const noOwner = isEmptySet(changeOwnerSets(actor, "sensor").from) ? sensorBatchText.noChangeOwner : undefined;
  const noDelete = isEmptySet(deleteSet(actor, "sensor")) ? sensorText.noDelete : undefined;
  const set = (label: string, field: BatchField, disabledReason: string | undefined = noEdit): ListAction => ({
    label,
    disabledReason,
    dialog: (props) => <SetFieldDialog field={field} {...props} />,
  });
  const actions: ListAction[] = [
    ...(hasFirmware ? [set(sensorBatchText.setFirmware, "artifact")] : []),
    set(sensorBatchText.setOwner, "owner", noEdit ?? noOwner),
    set(sensorBatchText.setLocation, "measID"),
    set(sensorBatchText.setReRegistration, "claimable"),
    set(sensorBatchText.setGroups, "groups"),
    {
      label: sensorBatchText.remove,
      danger: true,
      disabledReason: noDelete,
      dialog: (props) => <DeleteSensorsDialog {...props} />,
    },
  ];
  return useListBatch(filters, actions, { total });
}

/** Is there any firmware to set? (spec 2 §2) */
function useHasFirmware(mayView: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["artifact", "total"],
    queryFn: async ({ signal }) => {
      const page = await call(listFirmware, { query: { limit: "1", includeTotals: "true" }, signal });
      return Array.isArray(page) ? page.length : (page.total ?? 0);
    },
    enabled: mayView,
    staleTime: 60_000,
  });
  return (data ?? 0) > 0;
}
