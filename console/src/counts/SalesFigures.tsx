// Sales of the counts page: conversion, revenue per visitor, transactions and revenue (docs/rules/sales.md#conversion).
import { Box } from "@mui/material";
import type { Counts } from "@psp/contract/counts/counts.api.ts";
import type { SalesTotal } from "@psp/contract/counts/sales-figures.ts";
import { Figure } from "../ui/chart/Figure.tsx";
import type { TableColumn } from "../ui/chart/slots.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { countsText as text } from "./counts.text.ts";
import { formatConversion, formatRevenue, formatRevenuePerVisitor, formatSum } from "./format-counts.ts";

type Sales = NonNullable<Counts["sales"]>;

/** `earlier` are the days of the comparison, in words. */
export function SalesFigures({ sales, earlier }: { sales: Sales; earlier: string }) {
  const { total, conversionChange } = sales;
  return (
    <Box
      component="section"
      aria-label={text.sales}
      sx={{
        order: { xs: -1, sm: 0 },
        display: "grid",
        gridTemplateColumns: { xs: "1fr 1fr", sm: "repeat(4, minmax(0, max-content))" },
        columnGap: { xs: 4, sm: 12 },
        rowGap: 3,
      }}
    >
      <Figure
        label={text.conversion}
        explained={text.conversionExplained}
        value={<LiveValue large>{formatConversion(total?.conversion ?? null)}</LiveValue>}
        change={
          conversionChange === null ? undefined : { points: conversionChange, description: text.comparedWith(earlier) }
        }
        note={
          <Box sx={{ maxWidth: 280 }}>
            {conversionNote(total)}
            {total === null || total.conversion === null ? null : (
              <div>{conversionChange === null ? text.noConversionChange(earlier) : text.comparedWith(earlier)}</div>
            )}
          </Box>
        }
      />
      <Figure
        label={text.revenuePerVisitor}
        value={total === null ? "–" : formatRevenuePerVisitor(total)}
        note={total !== null && total.revenue.length > 1 ? text.severalCurrencies : null}
      />
      <Figure label={text.transactions} value={formatSum(total?.transactions ?? null)} />
      <Figure label={text.revenue} value={total === null ? "–" : formatRevenue(total)} />
    </Box>
  );
}

function conversionNote(total: SalesTotal | null): string {
  if (total === null) return text.noSales;
  if (total.visitors === null) return text.noConversion;
  const people = text.visitors(formatSum(total.visitors));
  return total.comparedDays === total.days ? people : `${people}, ${text.knownDays(total.comparedDays, total.days)}`;
}

/** Columns of the table of counts, one cell per row of the answer. */
export function salesColumns(sales: Counts["sales"]): TableColumn[] {
  if (sales === null) return [];
  const column = (name: string, cell: (row: NonNullable<Sales["rows"][number]>) => string) => ({
    name,
    cells: sales.rows.map((row) => (row === null ? "–" : cell(row))),
  });
  return [
    column(text.transactions, (row) => formatSum(row.transactions)),
    column(text.conversion, (row) => formatConversion(row.conversion)),
    column(text.revenue, formatRevenue),
    column(text.revenuePerVisitor, formatRevenuePerVisitor),
  ];
}
