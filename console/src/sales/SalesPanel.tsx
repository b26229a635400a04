// Sales of a location as a table, the latest first, with import and deletion.
import type { Sale } from "@psp/contract/sales/sales.ts";
import DeleteOutlineRounded from "~icons/ic/round-delete-outline";
import UploadFileOutlined from "~icons/ic/outline-upload-file";
import { Box, Button, Typography } from "@mui/material";
import { useMemo, useState } from "react";
import type { SearchParams } from "../address/address.ts";
import { useListState } from "../address/list-state.ts";
import { loadChunk } from "../address/loadChunk.ts";
import { paging } from "../address/parameters.ts";
import { EmptyList } from "../entity/list/list-empty.tsx";
import { ListFrame } from "../entity/list/list-frame.tsx";
import { dateFilter } from "../monitoring/logs/issue-filters.tsx";
import { parseDayRange, toInstantRange } from "../monitoring/zone-days.ts";
import { LazyDialog } from "../ui/feedback/LazyDialog.tsx";
import type { Column, Sort } from "../ui/table/columns.ts";
import { DataTable } from "../ui/table/DataTable.tsx";
import { DeleteSalesDialog } from "./DeleteSalesDialog.tsx";
import { formatMoney } from "../counts/format-counts.ts";
import { formatSaleDay, formatSaleTime } from "./format-sales.ts";
import { useSales } from "./sales.queries.ts";
import { salesImportText, salesText as text } from "./sales.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

const unsorted: Sort = [];
const noRows: Sale[] = [];
const idOf = ({ start }: Sale) => start;

const { skip, limit, includeTotals } = paging([]);
const parameters = {
  skip,
  limit,
  includeTotals,
  fromToDates: {
    safeParse: (value: unknown) => ({ success: typeof value === "string" && parseDayRange(value) !== null }),
  },
};

function toQuery({ fromToDates, ...others }: SearchParams, timeZone: string | null): SearchParams {
  const days = typeof fromToDates === "string" ? parseDayRange(fromToDates) : null;
  return { ...others, ...(days === null ? {} : toInstantRange(days, timeZone)) };
}

function columnsIn(timeZone: string | null): readonly Column<Sale>[] {
  return [
    { id: "day", header: text.day, cell: ({ start }) => formatSaleDay(start, timeZone), minWidth: 150 },
    { id: "time", header: text.time, cell: (sale) => formatSaleTime(sale, timeZone, text.wholeDay), width: 130 },
    {
      id: "transactions",
      header: text.transactions,
      cell: ({ transactions }) => formatNumber(transactions),
      width: 120,
      numeric: true,
      onPhone: "labeled",
    },
    {
      id: "revenue",
      header: text.revenue,
      cell: ({ revenue, currency }) => formatMoney(revenue, currency),
      width: 160,
      numeric: true,
      onPhone: "labeled",
    },
    {
      id: "staffHours",
      header: text.staffHours,
      cell: ({ staffHours }) => (staffHours === null ? text.unknown : formatNumber(staffHours)),
      width: 110,
      numeric: true,
      onPhone: "labeled",
    },
  ];
}

type SalesPanelProps = { id: string; name: string; timeZone: string | null };

export function SalesPanel({ id, name, timeZone }: SalesPanelProps) {
  const list = useListState(parameters, unsorted);
  const answer = useSales(id, toQuery(list.query, timeZone));
  const [dialog, setDialog] = useState<"import" | "delete" | null>(null);
  const columns = useMemo(() => columnsIn(timeZone), [timeZone]);
  const rows = answer.data?.objects ?? noRows;
  const close = () => setDialog(null);
  return (
    <>
      <ListFrame
        text={text}
        heading={
          <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 3, mb: 3 }}>
            <Box sx={{ mr: "auto", minWidth: 0 }}>
              <Typography variant="h2">{text.title}</Typography>
              <Box sx={{ color: "text.secondary" }}>{text.secret}</Box>
            </Box>
            {rows.length === 0 ? null : (
              <Button color="inherit" startIcon={<DeleteOutlineRounded />} onClick={() => setDialog("delete")}>
                {text.deleteSales}
              </Button>
            )}
            <Button variant="contained" startIcon={<UploadFileOutlined />} onClick={() => setDialog("import")}>
              {salesImportText.action}
            </Button>
          </Box>
        }
        list={list}
        answer={answer}
        filters={[dateFilter(list, timeZone, text.days)]}
        onClear={list.clear}
        total={answer.isPlaceholderData && rows.length === 0 ? undefined : answer.data?.total}
      >
        <DataTable
          label={text.title}
          columns={columns}
          rows={rows}
          rowId={idOf}
          rowLabel={(sale) =>
            text.rowName(formatSaleDay(sale.start, timeZone), formatSaleTime(sale, timeZone, text.wholeDay))
          }
          loading={answer.isPending}
          total={answer.data?.total ?? rows.length}
          viewKey={list.viewKey}
          isPlaceholder={answer.isPlaceholderData}
          empty={
            <EmptyList
              text={text}
              filtered={list.active > 0}
              onShowAll={list.clear}
              create={{ label: salesImportText.action, onClick: () => setDialog("import") }}
            />
          }
        />
      </ListFrame>
      {dialog === "import" ? <LazyDialog load={loadImport} onClose={close} show={{ onClose: close }} /> : null}
      {dialog === "delete" ? <DeleteSalesDialog id={id} name={name} timeZone={timeZone} onClose={close} /> : null}
    </>
  );
}

const loadImport = () =>
  loadChunk("ImportSalesDialog", () => import("./ImportSalesDialog.tsx")).then((chunk) => chunk.ImportSalesDialog);
