// The last runs of a report with their files, and the buttons that make it now or show a preview.
import { Box, Button, Stack } from "@mui/material";
import { styled } from "@mui/material/styles";
import { getReportFile, listReportRuns, previewReport, sendReport } from "@psp/contract/report/report.api.ts";
import type { Report, ReportRun } from "@psp/contract/report/report.ts";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import SendRounded from "~icons/ic/round-send";
import { call } from "../api/call.ts";
import { callUrl } from "../api/server-address.ts";
import { failureText, useFailureToast } from "../api/useFailure.ts";
import type { DialogTab } from "../entity/page/DialogTabs.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { useToasts } from "../ui/feedback/Toasts.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { reportsText as text } from "./reports.text.ts";

const pollMs = 2000;

/** The key contains "total", so that the live message of a finished run invalidates it. */
const runsKey = (id: string) => ["report", "total", "runs", id];

export function useSendReport(): (row: Pick<Report, "_id" | "name">) => void {
  const toasts = useToasts();
  const fail = useFailureToast();
  const client = useQueryClient();
  const send = useMutation({
    mutationFn: ({ _id }: Pick<Report, "_id" | "name">) => call(sendReport, { params: { id: _id } }),
    onSuccess: (_, { _id, name }) => {
      toasts.success(text.sending(name));
      return client.invalidateQueries({ queryKey: runsKey(_id) });
    },
    onError: fail(text.sendFailed),
  });
  return (row) => send.mutate(row);
}

export const createRunsTab = (row: Report): DialogTab => ({
  id: "runs",
  label: text.runs,
  content: <Runs key={row._id} row={row} />,
});

function Runs({ row }: { row: Report }) {
  const send = useSendReport();
  const { data, error, refetch } = useQuery({
    queryKey: runsKey(row._id),
    queryFn: ({ signal }) => call(listReportRuns, { params: { id: row._id }, signal }),
    // A run that is being made is finished within seconds, unless it waits for counts.
    refetchInterval: ({ state }) =>
      state.data?.objects.some((run) => run.state === "due" && run.reason === null) ? pollMs : false,
  });
  return (
    <Stack sx={{ gap: 4 }}>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        <Button variant="outlined" startIcon={<SendRounded />} onClick={() => send(row)}>
          {text.sendNow}
        </Button>
        <Button component="a" href={callUrl(previewReport, { id: row._id })} download>
          {text.preview}
        </Button>
      </Box>
      {data === undefined ? (
        error === null ? (
          <CardSkeleton lines={6} />
        ) : (
          <EmptyState
            kind="error"
            title={text.runsLoadFailed}
            text={failureText(error)}
            action={{ label: "Try again", onClick: () => void refetch() }}
          />
        )
      ) : data.objects.length === 0 ? (
        <EmptyState kind="none" title={text.noRuns} text={text.noRunsText} />
      ) : (
        <List aria-label={text.runs}>
          {data.objects.map((run) => (
            <Run key={run._id} run={run} reportId={row._id} />
          ))}
        </List>
      )}
    </Stack>
  );
}

const List = styled("ol")(({ theme }) => ({
  listStyle: "none",
  margin: 0,
  padding: 0,
  "& > li": {
    padding: theme.spacing(3, 0),
    borderTop: `1px solid ${theme.vars.palette.divider}`,
    overflowWrap: "anywhere",
  },
  "& > li:first-of-type": { borderTop: 0, paddingTop: 0 },
}));

function Run({ run, reportId }: { run: ReportRun; reportId: string }) {
  const { state, reason, deliveries, missing, isManual, first, last } = run;
  const count = (of: ReportRun["deliveries"][number]["state"]) => deliveries.filter((one) => one.state === of).length;
  const [sent, queued, refused] = [count("sent"), count("queued"), count("refused")];
  const days = first === null ? null : first === last ? first : `${first} – ${last}`;
  return (
    <li>
      <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 3, alignItems: "baseline" }}>
        <Box component="span" sx={{ fontWeight: 600, mr: "auto", ...(state === "failed" && { color: "error.main" }) }}>
          {text.states[state]}
          {isManual ? `, ${text.manual}` : ""}
        </Box>
        <Box component="span" sx={{ color: "text.secondary" }}>
          <RelativeTime value={run.at} />
        </Box>
      </Box>
      {days === null ? null : <Box sx={{ color: "text.secondary" }}>{days}</Box>}
      {reason === null ? null : <Box>{reason}</Box>}
      {deliveries.length === 0 ? null : <Box>{text.deliveries(sent, queued, refused)}</Box>}
      {deliveries
        .filter((one) => one.state === "refused")
        .map(({ email, reason: why }) => (
          <Box key={email} sx={{ color: "error.main" }}>
            {text.refusal(email, why)}
          </Box>
        ))}
      {missing !== null && missing > 0 ? <Box>{text.missing(missing)}</Box> : null}
      {run.files.map(({ format }) => (
        <Button
          key={format}
          component="a"
          size="small"
          href={callUrl(getReportFile, { id: reportId, run: run._id, format })}
          download
          sx={{ ml: -2 }}
        >
          {text.file(format, days ?? "")}
        </Button>
      ))}
    </li>
  );
}
