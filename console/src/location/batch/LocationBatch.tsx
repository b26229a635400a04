// Batch actions for locations, each in one request (LO-01).
import { resolveChangeOwnerScopes, resolveDeleteScope, resolveEditScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import { ownerChoiceForTransfer } from "@psp/contract/permission/standing.ts";
import type { GeocodeResult } from "@psp/contract/location/geocode.api.ts";
import { Box } from "@mui/material";
import { useState } from "react";
import type { SearchParams } from "../../address/address.ts";
import { loadChunk } from "../../address/loadChunk.ts";
import { noChangesText } from "../../entity/batch/batch.text.ts";
import { type BatchActionDialogProps, type ListBatch, useListBatch } from "../../entity/batch/list-batch.tsx";
import { useNoOwnerToast } from "../../entity/owner-choice.ts";
import { AccountSelect } from "../../entity/reference/AccountSelect.tsx";
import { type NamedRef, toReferenceFieldProps } from "../../entity/reference/ReferenceSelect.tsx";
import { useCan } from "../../api/session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { AddressSearch } from "../form/AddressSearch.tsx";
import { locationText } from "../location.text.ts";
import { toAddressChange } from "./location.batch.ts";
import { deletedTexts, locationBatchText as text, updatedTexts } from "./location.batch.text.ts";
import { useBatchRun } from "./useBatchRun.ts";

const loadEditTags = async () =>
  (await loadChunk("EditTagsDialog", () => import("./EditTagsDialog.tsx"))).EditTagsDialog;

export function useLocationBatch(filters: SearchParams, total: number): ListBatch {
  const { actor } = useCan();
  const noEdit = isEmptySet(resolveEditScope(actor, "measurement")) ? text.noEdit : undefined;
  const noOwner = isEmptySet(resolveChangeOwnerScopes(actor, "measurement").from) ? text.noChangeOwner : undefined;
  const noDelete = isEmptySet(resolveDeleteScope(actor, "measurement")) ? text.noDelete : undefined;
  return useListBatch(
    filters,
    [
      { label: text.setOwner, disabledReason: noEdit ?? noOwner, dialog: (props) => <OwnerDialog {...props} /> },
      { label: text.setAddress, disabledReason: noEdit, dialog: (props) => <AddressDialog {...props} /> },
      {
        label: text.editTags,
        disabledReason: noEdit,
        dialog: (props) => <LazyDialog load={loadEditTags} onClose={() => props.onClose()} show={props} />,
      },
      { label: text.remove, danger: true, disabledReason: noDelete, dialog: (props) => <RemoveDialog {...props} /> },
    ],
    { total },
  );
}

const saysNoChanges: BatchRun = () => Promise.reject(new Error(noChangesText));

function OwnerDialog(props: BatchActionDialogProps) {
  const { expected, differs, renderName, runWith } = useBatchRun(props);
  const [owner, setOwner] = useState<NamedRef | null>(null);
  return (
    <BatchDialog
      title={text.ownerTitle(expected)}
      submitLabel="Save"
      total={expected}
      renderName={renderName}
      texts={updatedTexts}
      run={owner === null ? saysNoChanges : runWith({ owner: owner.id })}
      onClose={(result) => props.onClose(owner === null ? undefined : result)}
    >
      {differs}
      <AccountSelect
        label={locationText.owner}
        {...toReferenceFieldProps(owner, setOwner)}
        choice={ownerChoiceForTransfer("measurement")}
        onNoChoice={useNoOwnerToast("location", true)}
        helperText={text.ownerHint}
        required
      />
    </BatchDialog>
  );
}

function AddressDialog(props: BatchActionDialogProps) {
  const { expected, differs, renderName, runWith } = useBatchRun(props);
  const [place, setPlace] = useState<GeocodeResult | null>(null);
  return (
    <BatchDialog
      title={text.addressTitle(expected)}
      submitLabel="Save"
      total={expected}
      renderName={renderName}
      texts={updatedTexts}
      run={place === null ? saysNoChanges : runWith(toAddressChange(place))}
      onClose={(result) => props.onClose(place === null ? undefined : result)}
    >
      {differs}
      <AddressSearch value={place?.formatted ?? null} onPick={setPlace} required autoFocus />
      {place === null ? null : <Box sx={{ color: "text.secondary" }}>{text.found(place.timezone)}</Box>}
    </BatchDialog>
  );
}

function RemoveDialog(props: BatchActionDialogProps) {
  const { expected, isAll, differs, renderName, runWith } = useBatchRun(props);
  return (
    <BatchDialog
      title={text.deleteTitle(expected)}
      submitLabel="Delete"
      danger
      total={expected}
      renderName={renderName}
      texts={deletedTexts(isAll)}
      run={runWith(null)}
      onClose={props.onClose}
    >
      {differs}
      <div>{text.deleteQuestion(expected)}</div>
    </BatchDialog>
  );
}
