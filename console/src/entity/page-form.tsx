// Handles saving, conflicts and the leave guard of a form on an object page.
import type { IdResponse } from "@psp/contract/kit/id-reply.ts";
import { isFullObject } from "@psp/contract/kit/is-full-object.ts";
import { type ReactNode, useState } from "react";
import { useLeaveGuard } from "../address/leave-guard.tsx";
import { ConflictDialog } from "../ui/form/ConflictDialog.tsx";
import { SaveBar } from "../ui/form/SaveBar.tsx";
import type { Draft } from "./draft.ts";
import type { Entity, OwnedRow } from "./entity.ts";
import { type SeenVersion, useNoLongerVisible, useSaving } from "./saving.ts";
import { type Undo, useUndo } from "./undo.ts";
import { Alert, Button } from "@mui/material";
import { useLastChange } from "./last-change.ts";

type PageFormProps<R extends OwnedRow, V extends Record<string, unknown>, Change> = {
  entity: Pick<Entity<R, never, Change>, "type" | "paths" | "update" | "useRefresh"> & {
    text: { subject: string; updateFailed: string };
  };
  row: R;
  draft: Draft<V>;
  toFields: (row: R) => V;
  update: {
    isPending: boolean;
    mutateAsync: (change: { change: Change } & SeenVersion) => Promise<R | IdResponse>;
  };
  /** Names of changed fields; empty if there is nothing to save. */
  changes: string[];
  changeOf: () => Change | undefined;
  undoOf?: () => Undo<Change> | undefined;
  disabledReason?: string | undefined;
  onSaved: () => void;
  onDropped: () => void;
};

export function usePageForm<R extends OwnedRow, V extends Record<string, unknown>, Change>(
  props: PageFormProps<R, V, Change>,
) {
  const { entity, row, draft, update, changes } = props;
  const { subject } = entity.text;
  const [savedCount, setSavedCount] = useState(0);
  const [failedCount, setFailedCount] = useState(0);
  const noLongerVisible = useNoLongerVisible(entity.type, row._id, subject, entity.paths.list);
  const drop = () => {
    draft.discard();
    props.onDropped();
  };
  const leaveDialog = useLeaveGuard(changes.length > 0, draft.isKept ? draft.discard : undefined);
  const offerUndo = useUndo(entity, subject);
  const { save, conflict } = useSaving({
    baseVersion: draft.baseVersion,
    attempt: async (seen) => {
      const change = props.changeOf();
      if (change === undefined) return;
      const undo = props.undoOf?.();
      const stored = await update.mutateAsync({ change, ...seen });
      if (!isFullObject(stored)) {
        drop();
        return noLongerVisible();
      }
      draft.saved(draft.values, props.toFields(stored), stored.version);
      props.onSaved();
      setSavedCount((count) => count + 1);
      if (undo !== undefined) offerUndo(stored, undo);
    },
    failed: entity.text.updateFailed,
    onFailure: () => setFailedCount((count) => count + 1),
    onReload: drop,
  });
  const lastChange = useLastChange(entity.type, row, draft.outdated || conflict.open);
  return {
    drop,
    lastChange,
    /** Warning to show above the fields if someone else has saved. Its button loads the new values. */
    outdated: ({ newValues, showNew }: { newValues: string; showNew: string }): ReactNode =>
      draft.outdated ? (
        <Alert
          severity="warning"
          action={
            <Button size="small" color="inherit" onClick={drop}>
              {showNew}
            </Button>
          }
        >
          <div>{newValues}</div>
          {lastChange === undefined ? null : <div>{lastChange}</div>}
        </Alert>
      ) : null,
    /** Save bar and dialogs to show below the fields. */
    foot: (
      <>
        <SaveBar
          changes={changes}
          saving={update.isPending}
          savedCount={savedCount}
          failedCount={failedCount}
          restored={draft.restored}
          disabledReason={props.disabledReason}
          onSave={() => void save()}
          onDiscard={drop}
        />
        <ConflictDialog subject={subject} detail={lastChange} {...conflict} />
        {leaveDialog}
      </>
    ) as ReactNode,
  };
}
