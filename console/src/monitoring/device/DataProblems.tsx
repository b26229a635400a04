// Lists the data problems of a sensor or location, such as rejected records, wrong clocks and shared identities.
import { type DataProblem, listDataProblems } from "@psp/contract/monitoring/data-problems.api.ts";
import { formatDuration } from "@psp/contract/kit/format-time.ts";
import { Alert, AlertTitle, Box, Button, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useId, useState } from "react";
import { call } from "../../api/call.ts";
import { monoFont } from "../../ui/theme/theme.ts";
import { Mono } from "../../ui/Mono.tsx";
import { ObjectLink } from "../../ui/ObjectLink.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { issueKey } from "../issue-count.ts";
import { dataProblemsText as text } from "./data-problems.text.ts";

type Scope = { sens: string } | { measID: string };

export function DataProblems({ scope, timeZone }: { scope: Scope; timeZone: string | null }) {
  const { data: problems = [] } = useQuery({
    queryKey: [issueKey, "data", scope],
    queryFn: ({ signal }) => call(listDataProblems, { query: scope, signal }),
  });
  if (problems.length === 0) return null;
  return (
    <SectionCard title={text.title} gap={2}>
      {problems.map((problem) => (
        <Box key={problem.sens} sx={{ display: "flex", flexDirection: "column", gap: 1 }}>
          {"measID" in scope ? (
            <ObjectLink object={{ type: "sensor", id: problem.sens, name: problem.sens }}>
              <Mono>{problem.sens}</Mono>
            </ObjectLink>
          ) : null}
          <Problems problem={problem} timeZone={timeZone} />
        </Box>
      ))}
    </SectionCard>
  );
}

function Problems({ problem, timeZone }: { problem: DataProblem; timeZone: string | null }) {
  const { clockOffMs, rejected, restartedAt, identity } = problem;
  const at = (time: string) => formatExactTime(Date.parse(time), timeZone ?? undefined);
  return (
    <>
      {identity === null ? null : (
        <Notice severity="error" title={text.identity(...identity.addresses)}>
          {text.identityHelp}
        </Notice>
      )}
      {clockOffMs === null ? null : (
        <Notice severity="warning" title={text.clock(formatDuration(Math.abs(clockOffMs)), clockOffMs > 0)}>
          {text.clockHelp}
        </Notice>
      )}
      {rejected === null ? null : (
        <Notice severity="warning" title={text.rejected(rejected.count, at(rejected.since))}>
          {text.rejectedHelp}
          <Reasons reasons={rejected.reasons} />
          {rejected.last.record === null ? null : (
            <Example title={text.latest(at(rejected.last.at))} record={rejected.last.record} />
          )}
        </Notice>
      )}
      {restartedAt === null ? null : (
        <Notice severity="info" title={text.restarted(at(restartedAt))}>
          {text.restartedHelp}
        </Notice>
      )}
    </>
  );
}

type NoticeProps = { severity: "error" | "warning" | "info"; title: string; children: ReactNode };

function Notice({ severity, title, children }: NoticeProps) {
  return (
    <Alert severity={severity} role="note" sx={{ "& .MuiAlert-message": { minWidth: 0, flexGrow: 1 } }}>
      <AlertTitle>{title}</AlertTitle>
      {children}
    </Alert>
  );
}

function Reasons({ reasons }: { reasons: NonNullable<DataProblem["rejected"]>["reasons"] }) {
  return (
    <Table size="small" sx={{ mt: 1, "& td, & th": { px: 0 }, "& td": { overflowWrap: "anywhere" } }}>
      <TableHead>
        <TableRow>
          <TableCell>{text.reason}</TableCell>
          <TableCell align="right" sx={{ whiteSpace: "nowrap" }}>
            {text.count}
          </TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {reasons.map(({ reason, count }) => (
          <TableRow key={reason}>
            <TableCell>{reason}</TableCell>
            <TableCell align="right">{count}</TableCell>
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

function Example({ title, record }: { title: string; record: unknown }) {
  const [isShown, setShown] = useState(false);
  const id = useId();
  return (
    <>
      <Button
        size="small"
        color="inherit"
        sx={{ mt: 1, ml: -0.5 }}
        aria-expanded={isShown}
        aria-controls={id}
        onClick={() => setShown(!isShown)}
      >
        {isShown ? text.hideExample : text.showExample}
      </Button>
      <Box id={id} hidden={!isShown}>
        {title}
        <Box
          component="pre"
          tabIndex={0}
          sx={{ m: 0, mt: 1, maxHeight: 240, overflow: "auto", fontFamily: monoFont, fontSize: 12 }}
        >
          {JSON.stringify(record, null, 2)}
        </Box>
      </Box>
    </>
  );
}
