// Table of scanned codes with five rows per page (CL-03).
import { Box } from "@mui/material";
import { useState } from "react";
import { DataTable } from "../ui/table/DataTable.tsx";
import { Mono } from "../ui/Mono.tsx";
import { Pager } from "../ui/table/Pager.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import type { Column } from "../ui/table/columns.ts";
import type { ClaimRow, ClaimStatus } from "./claim.flow.ts";
import { claimText } from "./claim.text.ts";

const pageSize = 5;

const tones: Record<ClaimStatus, StatusTone> = {
  NONE: "pending",
  INVALID_CODE_LENGTH: "bad",
  NOT_CLAIMABLE: "warning",
  CLAIMED: "good",
};

const columns: readonly Column<ClaimRow>[] = [
  { id: "sensorType", header: claimText.sensorType, cell: (row) => row.sensorType ?? "-", width: 132 },
  { id: "sensorID", header: claimText.sensorId, cell: (row) => <Mono>{row.sensorID ?? "-"}</Mono> },
  {
    id: "claimingCode",
    header: claimText.claimingCode,
    cell: (row) => <Mono>{row.claimingCode}</Mono>,
    onPhone: "title",
  },
  {
    id: "claimingStatus",
    header: claimText.status,
    cell: ({ claimingStatus: status }) => (
      <StatusDot
        tone={tones[status]}
        label={claimText.statuses[status]}
        {...(status === "NOT_CLAIMABLE" ? { tooltip: claimText.notClaimableHint } : {})}
      />
    ),
  },
];
const codeOf = (row: ClaimRow) => row.claimingCode;

export function ClaimTable({ rows }: { rows: readonly ClaimRow[] }) {
  const [wanted, setPage] = useState(1);
  const page = Math.min(wanted, Math.max(1, Math.ceil(rows.length / pageSize)));
  return (
    <Box component="section" aria-label={claimText.table} sx={{ display: "flex", flexDirection: "column", gap: 2 }}>
      <DataTable
        label={claimText.table}
        columns={columns}
        rows={rows.slice((page - 1) * pageSize, page * pageSize)}
        rowId={codeOf}
        rowLabel={codeOf}
        viewKey={String(page)}
      />
      {rows.length <= pageSize ? null : (
        <Pager page={page} pageSize={pageSize} total={rows.length} onPageChange={setPage} label={claimText.pages} />
      )}
    </Box>
  );
}
