// Changing the owner of many roles, and deleting many (spec 1 §2, §5).
import { changeOwnerSets } from "@psp/contract/permission/can.ts";
import { contains, type Owner } from "@psp/contract/permission/scope.ts";
import { useCallback, useMemo, useState } from "react";
import type { Search } from "../address.ts";
import { AccountSelect } from "../account/AccountSelect.tsx";
import { useActor } from "../session/session.tsx";
import { BatchDialog } from "../ui/BatchDialog.tsx";
import type { Selection } from "../ui/Selection.ts";
import { deleteRun, setOwnerRun } from "./role.batch.ts";
import { useAfterwards, useRoleLabels } from "./role.queries.ts";
import { roleText } from "./role.text.ts";

type RoleBatchDialogProps = {
  open: boolean;
  selection: Selection;
  /** How many are chosen. */
  total: number;
  /** Filters of the list, for a selection of everything that matches. */
  filters: Search;
  onClose: () => void;
};

/** Props: `open`, `selection`, `total`, `filters`, `onClose`. */
export function SetOwnerDialog({ open, selection, total, filters, onClose }: RoleBatchDialogProps) {
  const actor = useActor();
  const refresh = useAfterwards();
  const labelOf = useRoleLabels();
  const [owner, setOwner] = useState<{ id: string; name: string } | null>(null);
  const to = useMemo(() => changeOwnerSets(actor, "role").to, [actor]);
  const allow = useCallback((account: Owner) => contains(to, account), [to]);
  return (
    <BatchDialog
      open={open}
      title={roleText.setOwnerTitle(total)}
      submitLabel="Save"
      total={total}
      run={setOwnerRun({ actor, selection, filters }, owner?.id ?? null, () => void refresh())}
      texts={roleText.updated}
      renderObject={labelOf}
      onClose={() => {
        setOwner(null);
        onClose();
      }}
    >
      <AccountSelect
        label={roleText.owner}
        value={owner?.id ?? null}
        valueName={owner?.name}
        onChange={(id, name) => setOwner(id === null ? null : { id, name })}
        allow={allow}
        helperText={roleText.setOwnerHint}
      />
    </BatchDialog>
  );
}

/** Props: `open`, `selection`, `total`, `filters`, `onClose`. */
export function DeleteRolesDialog({ open, selection, total, filters, onClose }: RoleBatchDialogProps) {
  const actor = useActor();
  const refresh = useAfterwards();
  const labelOf = useRoleLabels();
  return (
    <BatchDialog
      open={open}
      title={roleText.deleteManyTitle(total)}
      submitLabel="Delete"
      danger
      total={total}
      run={deleteRun({ actor, selection, filters }, () => void refresh())}
      texts={roleText.deletedMany}
      renderObject={labelOf}
      onClose={onClose}
    >
      {roleText.deleteManyQuestion(total)}
    </BatchDialog>
  );
}
