// The columns with figures that compared locations and compared groups share.
import type { GroupCounts, LocationCounts } from "@psp/contract/counts/counts.api.ts";
import { salesSorts } from "@psp/contract/counts/counts.query.ts";
import type { ReactNode } from "react";
import {
  formatCompleteness,
  formatConversion,
  formatRevenuePerVisitor,
  formatSum,
} from "../../counts/format-counts.ts";
import { Change } from "../../ui/chart/Change.tsx";
import { Sparkline } from "../../ui/chart/Sparkline.tsx";
import { LiveValue } from "../../ui/feedback/LiveValue.tsx";
import { Tip } from "../../ui/feedback/Tip.tsx";
import type { Column, Sort } from "../../ui/table/columns.ts";
import { compareText as text } from "./compare-counts.text.ts";

type Compared = LocationCounts | GroupCounts;

type FigureColumns<Row> = {
  people: (row: Row) => ReactNode;
  /** What the change considers, if that is worth saying. */
  changeTip: (row: Row) => string | null;
  isCompared: boolean;
  hasSales: boolean;
};

/** Whether to show columns for sales: if a row has some, or if the rows are sorted by them. */
export const hasSales = (rows: readonly Compared[], sort: Sort): boolean =>
  rows.some(({ sales }) => sales !== null) || sort.some(({ id }) => salesSorts.some((one) => one === id));

export function figureColumns<Row extends Compared>(asked: FigureColumns<Row>): readonly Column<Row>[] {
  const { people, changeTip, isCompared } = asked;
  return [
    { ...numeric("in", text.in, 104), cell: people },
    // Out gives way to sales, because the columns would not fit on most screens.
    ...(asked.hasSales ? [] : [outColumn]),
    {
      // Without a comparison, the column stays but is empty.
      ...numeric("change", text.change, 112),
      sortable: isCompared,
      onPhone: isCompared ? "labeled" : "none",
      cell: (row) => {
        if (!isCompared) return null;
        return row.change.in === null ? "–" : <WithTip tip={changeTip(row)} change={{ percent: row.change.in }} />;
      },
    },
    ...(asked.hasSales ? salesColumns<Row>(isCompared) : []),
    { ...numeric("completeness", text.completeness, 136), cell: (row) => formatCompleteness(row.completeness) },
    {
      id: "curve",
      onNarrow: "none",
      onPhone: "none",
      header: text.curve,
      width: 152,
      cell: ({ curve }) => <Sparkline values={curve} />,
    },
  ];
}

const numeric = (id: string, header: string, width: number) =>
  ({ id, header, width, onPhone: "labeled", sortable: true, numeric: true }) as const;

const outColumn: Column<Compared> = {
  ...numeric("out", text.out, 104),
  cell: ({ out }) => <LiveValue>{formatSum(out)}</LiveValue>,
};

const conversionChangeColumn: Column<Compared> = {
  ...numeric("conversionChange", text.conversionChange, 148),
  cell: ({ conversionChange }) => (conversionChange === null ? "–" : <Change points={conversionChange} />),
};

function salesColumns<Row extends Compared>(isCompared: boolean): readonly Column<Row>[] {
  return [
    {
      ...numeric("conversion", text.conversion, 124),
      cell: ({ sales }) => (sales === null ? "–" : <Known sales={sales}>{formatConversion(sales.conversion)}</Known>),
    },
    ...(isCompared ? [conversionChangeColumn] : []),
    {
      ...numeric("revenuePerVisitor", text.revenuePerVisitor, 160),
      cell: ({ sales }) => (sales === null ? "–" : formatRevenuePerVisitor(sales)),
    },
  ];
}

/** A star marks a figure that leaves something out; the tooltip says what. */
function WithTip({ tip, change }: { tip: string | null; change: { percent: number } }) {
  if (tip === null) return <Change {...change} />;
  return (
    <Tip text={tip}>
      <span aria-description={tip}>
        <Change {...change} />
        <span aria-hidden>*</span>
      </span>
    </Tip>
  );
}

function Known({ sales, children }: { sales: NonNullable<Compared["sales"]>; children: string }) {
  if (sales.comparedDays === sales.days || sales.conversion === null) return children;
  const tip = text.knownDays(sales.comparedDays, sales.days);
  return (
    <Tip text={tip}>
      <span aria-description={tip}>
        {children}
        <span aria-hidden>*</span>
      </span>
    </Tip>
  );
}
