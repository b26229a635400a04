// Dialog that assigns, annotates or snoozes one issue.
import { changeIssues } from "@psp/contract/monitoring/issue-work.api.ts";
import type { ListedIssue } from "@psp/contract/monitoring/issue.ts";
import { call } from "../../api/call.ts";
import { useAttempt } from "../../api/useFailure.ts";
import { FormDialog } from "../../ui/form/FormDialog.tsx";
import { useRefreshIssues } from "../issue.queries.ts";
import { issueTypeLabels } from "../issue.text.ts";
import { useWorkFields } from "./WorkFields.tsx";
import { useUndoOffer, type WorkKind } from "./work.queries.ts";
import { workText as text } from "./work.text.ts";

type WorkDialogProps = { kind: WorkKind; issue: ListedIssue; onClose: () => void };

export function WorkDialog({ kind, issue, onClose }: WorkDialogProps) {
  const { id, sens, data, assignee, snoozedUntil } = issue;
  const { fields, changes, isDirty, onTried } = useWorkFields({
    kind,
    ids: [id],
    count: 1,
    assignee,
    isSnoozed: snoozedUntil !== null,
  });
  const attempt = useAttempt();
  const refresh = useRefreshIssues();
  const offerUndo = useUndoOffer();
  const submit = async () => {
    onTried();
    if (changes === null) return;
    await attempt(text.failed, async () => {
      const { fail, undoID } = await call(changeIssues, { body: { ids: [id], changes } });
      const [refused] = fail;
      await refresh();
      if (refused !== undefined) throw new Error(refused.details?.reason ?? refused.errMessage);
      onClose();
      offerUndo(kind, 1, [undoID]);
    });
  };
  return (
    <FormDialog
      open
      title={text[kind]}
      subtitle={`${issueTypeLabels[data.issueType]}, ${sens}`}
      dirty={isDirty}
      onSubmit={submit}
      onClose={onClose}
    >
      {fields}
    </FormDialog>
  );
}
