// What an import of sales does or did: counts, problems by kind and row, and the first rows.
import type { SalesImportResult, SalesProblemKind } from "@psp/contract/sales/sales.import.ts";
import { Box, Table, TableBody, TableCell, TableHead, TableRow, Typography } from "@mui/material";
import { formatMoney } from "../counts/format-counts.ts";
import { formatSaleDay, formatSaleTime } from "./format-sales.ts";
import { salesImportText as text, salesText } from "./sales.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

const hourMs = 3_600_000;

export function ImportReport({ result }: { result: SalesImportResult }) {
  const { unusedColumns, problems, preview } = result;
  return (
    <>
      <Box
        component="dl"
        sx={{ display: "grid", gridTemplateColumns: "repeat(auto-fit, minmax(90px, 1fr))", gap: 2, m: 0 }}
      >
        {text.counts.map(([name, label]) => (
          <Box key={name} sx={{ minWidth: 0 }}>
            <Box component="dt" sx={{ color: "text.secondary", fontSize: "0.8125rem" }}>
              {label}
            </Box>
            <Box component="dd" sx={{ m: 0, fontSize: "1.25rem", fontVariantNumeric: "tabular-nums" }}>
              {formatNumber(result[name])}
            </Box>
          </Box>
        ))}
      </Box>
      {unusedColumns.length === 0 ? null : (
        <Box sx={{ color: "text.secondary", overflowWrap: "anywhere" }}>{text.unused(unusedColumns.join(", "))}</Box>
      )}
      {problems.length === 0 ? null : <Problems result={result} />}
      {preview.length === 0 ? null : <Preview rows={preview} />}
    </>
  );
}

function Problems({ result: { problems, problemCounts, invalid } }: { result: SalesImportResult }) {
  const kinds = Object.entries(problemCounts) as [SalesProblemKind, number][];
  return (
    <Box component="section" aria-label={text.problems}>
      <Typography variant="h3" component="h3">
        {text.problems}
      </Typography>
      <Box sx={{ color: "text.secondary" }}>
        {kinds.map(([kind, count]) => text.kind(count, text.kinds[kind])).join(", ")}
      </Box>
      <Box
        component="ul"
        aria-label={text.problems}
        tabIndex={0}
        sx={{
          listStyle: "none",
          mx: 0,
          my: 2,
          px: 3,
          py: 2,
          border: 1,
          borderColor: "divider",
          borderRadius: 1,
          maxHeight: 200,
          overflowY: "auto",
          fontSize: "0.8125rem",
          overflowWrap: "anywhere",
        }}
      >
        {problems.map(({ row, reason }) => (
          <li key={row}>{`${text.row(row)}: ${reason}`}</li>
        ))}
        {invalid > problems.length ? <li>{text.moreProblems(invalid - problems.length)}</li> : null}
      </Box>
    </Box>
  );
}

function Preview({ rows }: { rows: SalesImportResult["preview"] }) {
  return (
    <Box tabIndex={0} role="region" aria-label={text.preview} sx={{ overflow: "auto", maxHeight: 280 }}>
      <Table size="small" stickyHeader aria-label={text.preview}>
        <TableHead>
          <TableRow>
            {text.columns.map((name) => (
              <TableCell key={name}>{name}</TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {rows.map((sale) => (
            <TableRow key={sale.row}>
              <TableCell>{sale.row}</TableCell>
              <TableCell sx={{ minWidth: 120 }}>{sale.location.name}</TableCell>
              <TableCell sx={{ whiteSpace: "nowrap" }}>{formatTime(sale)}</TableCell>
              <TableCell align="right">{formatNumber(sale.transactions)}</TableCell>
              <TableCell align="right" sx={{ whiteSpace: "nowrap" }}>
                {formatMoney(sale.revenue, sale.currency)}
              </TableCell>
              <TableCell align="right">
                {sale.staffHours === null ? salesText.unknown : formatNumber(sale.staffHours)}
              </TableCell>
              <TableCell>{text.outcomes[sale.outcome]}</TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    </Box>
  );
}

function formatTime({ start, end, timezone }: SalesImportResult["preview"][number]): string {
  const period = Date.parse(end) - Date.parse(start) > hourMs ? "day" : "hour";
  return salesText.rowName(
    formatSaleDay(start, timezone),
    formatSaleTime({ start, end, period }, timezone, salesText.wholeDay),
  );
}
