// Switches the weekly report on or off for the user's login.
import { getWeeklyReport, setWeeklyReport, type WeeklyReport } from "@psp/contract/report/subscription.api.ts";
import { Alert, FormHelperText, Skeleton } from "@mui/material";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { call } from "../api/call.ts";
import { failureText, useAttempt } from "../api/useFailure.ts";
import { useUser } from "../api/session/session.tsx";
import { reportText } from "./report.text.ts";
import { SwitchField } from "../entity/page/SwitchField.tsx";

const queryKey = ["report", "weekly"];
const hintId = "weekly-report-hint";

export function WeeklyReportSwitch() {
  const { email } = useUser();
  const client = useQueryClient();
  const attempt = useAttempt();
  const { data, error } = useQuery({ queryKey, queryFn: ({ signal }) => call(getWeeklyReport, { signal }) });
  const save = useMutation({
    mutationFn: (enabled: boolean) => call(setWeeklyReport, { body: { enabled } }),
    onSuccess: (saved) => client.setQueryData(queryKey, saved),
  });
  if (error !== null) return <Alert severity="error">{`${reportText.loadFailed}. ${failureText(error)}`}</Alert>;
  if (data === undefined) return <Skeleton variant="rounded" height={72} />;
  return (
    <div>
      <SwitchField
        label={reportText.switch}
        reason={save.isPending ? reportText.saving : undefined}
        saving={save.isPending ? reportText.saving : null}
        // Shows the new value while saving. If saving fails, the old value returns.
        checked={save.isPending ? save.variables : data.enabled}
        onChange={(enabled) => void attempt(reportText.saveFailed, () => save.mutateAsync(enabled))}
        describedBy={hintId}
        sx={{ ml: -1 }}
      />
      <FormHelperText id={hintId} sx={{ overflowWrap: "anywhere" }}>
        {reportText.what(email)} {nextText(data)}
      </FormHelperText>
    </div>
  );
}

function nextText({ nextAt, timezone }: WeeklyReport): string {
  if (nextAt === null) return "";
  const date = new Date(nextAt).toLocaleDateString("sv-SE", { timeZone: timezone });
  return reportText.next(date, timezone);
}
