// The selection of the sensor list and what can be done with it: bar, dialogs, and batches that were begun before (SE-03).
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { changeOwnerSets, deleteSet, editSet } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import type { Search } from "../../address/address.ts";
import type { ListBatch } from "../../entity/list-page.tsx";
import { useCan } from "../../session/useCan.ts";
import { type BatchAction, BatchBar } from "../../ui/batch/BatchBar.tsx";
import { allSelected, canSelectAll, emptySelection, selectionCount } from "../../ui/table/Selection.ts";
import { useSelection } from "../../ui/table/useSelection.ts";
import { DeleteSensorsDialog, SetFieldDialog } from "./SensorBatchDialogs.tsx";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { BatchField } from "./sensor.batch.values.ts";
import { sensorText } from "../sensor.text.ts";

/** `filters` and `total` of the list that is shown. */
export function useSensorBatch(filters: Search, total: number): ListBatch {
  const [selection, setSelection] = useSelection(filters);
  const [open, setOpen] = useState<BatchField | "delete" | null>(null);
  const count = selectionCount(selection, total);
  const actions = useActions(setOpen);
  const close = (tried?: unknown) => {
    setOpen(null);
    if (tried !== undefined) setSelection(emptySelection);
  };
  const props = { selection, filters, count, onClose: close };
  return {
    selection,
    setSelection,
    bar: (
      <BatchBar
        count={count}
        total={total}
        offerAll={canSelectAll(selection) && count < total}
        onSelectAll={() => setSelection(allSelected)}
        onCancel={() => setSelection(emptySelection)}
        actions={actions}
      />
    ),
    dialog:
      open === null ? null : open === "delete" ? (
        <DeleteSensorsDialog {...props} />
      ) : (
        <SetFieldDialog key={open} field={open} {...props} />
      ),
  };
}

/** What can be done; with a reason where no sensor at all could be changed so. */
function useActions(open: (what: BatchField | "delete") => void): BatchAction[] {
  const { actor, viewType } = useCan();
  const hasFirmware = useHasFirmware(viewType("artifact"));
  const noEdit = isEmptySet(editSet(actor, "sensor")) ? sensorText.readOnlySwitch : undefined;
  const noOwner = isEmptySet(changeOwnerSets(actor, "sensor").from) ? sensorBatchText.noChangeOwner : undefined;
  const noDelete = isEmptySet(deleteSet(actor, "sensor")) ? sensorText.noDelete : undefined;
  const set = (label: string, field: BatchField, disabledReason: string | undefined = noEdit): BatchAction => ({
    label,
    onClick: () => open(field),
    disabledReason,
  });
  return [
    ...(hasFirmware ? [set(sensorBatchText.setFirmware, "artifact")] : []),
    set(sensorBatchText.setOwner, "owner", noEdit ?? noOwner),
    set(sensorBatchText.setLocation, "measID"),
    set(sensorBatchText.setReRegistration, "claimable"),
    set(sensorBatchText.setGroups, "groups"),
    { label: sensorBatchText.remove, onClick: () => open("delete"), danger: true, disabledReason: noDelete },
  ];
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
