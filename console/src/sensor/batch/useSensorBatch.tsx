// Batch actions of the sensor list. Their dialogs are loaded when the user selects sensors (SE-03, ADR 0027).
import { listFirmware } from "@psp/contract/firmware/firmware.api.ts";
import { resolveChangeOwnerScopes, resolveDeleteScope, resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { SearchParams } from "../../address/address.ts";
import { loadChunk } from "../../address/loadChunk.ts";
import { call } from "../../api/call.ts";
import { type ListAction, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { emptySelection } from "../../ui/table/Selection.ts";
import { sensorText } from "../sensor.text.ts";
import { sensorBatchText } from "./sensor.batch.text.ts";
import type { BatchField } from "./sensor.batch.values.ts";

const load = () => loadChunk("SensorBatchDialogs", () => import("./SensorBatchDialogs.tsx"));
const loadSetField = async () => (await load()).SetFieldDialog;
const loadDelete = async () => (await load()).DeleteSensorsDialog;

export function useSensorBatch(filters: SearchParams, total: number): ListBatch {
  const { actor, viewType } = useCan();
  const [wasChosen, setChosen] = useState(false);
  const hasFirmware = useHasFirmware(viewType("artifact"), wasChosen);
  const noEdit = isEmptySet(resolveEditScope(actor, "sensor")) ? sensorText.noEdit : undefined;
  const noOwner = isEmptySet(resolveChangeOwnerScopes(actor, "sensor").from)
    ? sensorBatchText.noChangeOwner
    : undefined;
  const noDelete = isEmptySet(resolveDeleteScope(actor, "sensor")) ? sensorText.noDelete : undefined;
  const set = (label: string, field: BatchField, disabledReason: string | undefined = noEdit): ListAction => ({
    label,
    disabledReason,
    dialog: (props) => <LazyDialog load={loadSetField} onClose={() => props.onClose()} show={{ field, ...props }} />,
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
      dialog: (props) => <LazyDialog load={loadDelete} onClose={() => props.onClose()} show={props} />,
    },
  ];
  const batch = useListBatch(filters, actions, { total });
  const isChoosing = batch.selection !== emptySelection;
  if (isChoosing && !wasChosen) setChosen(true);
  useEffect(() => {
    if (isChoosing) void loadSetField().catch(() => undefined);
  }, [isChoosing]);
  return batch;
}

/** Whether the user can view any firmware; assumed to be true while loading (docs/rules/batches.md#list-selection). */
function useHasFirmware(mayView: boolean, isWanted: boolean): boolean {
  const { data } = useQuery({
    queryKey: ["artifact", "total"],
    queryFn: async ({ signal }) => {
      const page = await call(listFirmware, { query: { limit: "1", includeTotals: "true" }, signal });
      return Array.isArray(page) ? page.length : (page.total ?? 0);
    },
    enabled: mayView && isWanted,
    staleTime: 60_000,
  });
  return mayView && (data ?? 1) > 0;
}
