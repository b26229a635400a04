// Columns of the table of customers. Each number links to the list that it counts.
import type { Customer } from "@psp/contract/customer/customer.api.ts";
import { type Trouble, troubles } from "@psp/contract/customer/trouble.ts";
import type { ReactNode } from "react";
import { formatSearch } from "../address/address.ts";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { formatCompleteness } from "../counts/format-counts.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { Tip } from "../ui/feedback/Tip.tsx";
import type { Column } from "../ui/table/columns.ts";
import { Name } from "../ui/table/row/Name.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { customerText as text } from "./customer.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

const tones: Record<Trouble, StatusTone> = { errors: "bad", warnings: "warning", offline: "off", outdated: "pending" };
const filters: Record<Trouble, Record<string, string>> = {
  errors: { issueStatus: "Error" },
  warnings: { issueStatus: "Warning" },
  offline: { connected: "disconnected" },
  outdated: { outdated: "true" },
};

const numeric = (id: string, header: string, width: number) =>
  ({ id, header, width, onPhone: "labeled", sortable: true, numeric: true }) as const;

function NumberLink({ to, label, children }: { to: string; label: string; children: ReactNode }) {
  return (
    <AppLink
      to={to}
      query="none"
      aria-label={label}
      color="inherit"
      sx={{ ...standaloneLinkStyles, whiteSpace: "nowrap" }}
    >
      <LiveValue>{children}</LiveValue>
    </AppLink>
  );
}

const sensorsUrl = (customer: Customer, filter: Record<string, string> = {}) =>
  paths.sensors + formatSearch({ ownerTreeID: customer._id, ...filter });

const troubleColumn = (kind: Trouble): Column<Customer> => ({
  ...numeric(kind, text.troubles[kind], 116),
  cell: (row) =>
    row[kind] === 0 ? (
      "–"
    ) : (
      <NumberLink to={sensorsUrl(row, filters[kind])} label={text.troublesOf[kind](row[kind], row.name)}>
        <StatusDot tone={tones[kind]} label={formatNumber(row[kind])} tooltip={null} />
      </NumberLink>
    ),
});

/** Omits columns whose lists the user may not open. */
export function customerColumns(sees: { sensors: boolean; firmware: boolean; locations: boolean }) {
  const columns: (Column<Customer> | false)[] = [
    { id: "name", header: text.name, cell: ({ name }) => <Name>{name}</Name>, sortable: true, minWidth: 180 },
    ...troubles.map((kind) => sees.sensors && (kind !== "outdated" || sees.firmware) && troubleColumn(kind)),
    sees.sensors && {
      ...numeric("sensors", text.sensors, 104),
      cell: (row: Customer) =>
        row.sensors === 0 ? (
          "–"
        ) : (
          <NumberLink to={sensorsUrl(row)} label={text.sensorsOf(row.sensors, row.name)}>
            {formatNumber(row.sensors)}
          </NumberLink>
        ),
    },
    sees.locations && {
      ...numeric("completeness", text.completeness, 140),
      cell: (row: Customer) => {
        const share = formatCompleteness(row.completeness);
        if (row.completeness === null)
          return (
            <Tip text={text.noneExpected}>
              <span>{share}</span>
            </Tip>
          );
        const to = paths.compareCounts + formatSearch({ ownerTreeID: row._id, range: "yesterday" });
        return (
          <NumberLink to={to} label={text.completenessOf(share, row.name)}>
            {share}
          </NumberLink>
        );
      },
    },
    {
      ...numeric("children", text.children, 128),
      onNarrow: "none",
      cell: ({ children }) => (children === 0 ? "–" : formatNumber(children)),
    },
    {
      id: "lastSignInAt",
      header: text.lastSignIn,
      width: 144,
      sortable: true,
      onPhone: "labeled",
      onNarrow: "none",
      cell: ({ lastSignInAt }) => (lastSignInAt === null ? "–" : <RelativeTime value={lastSignInAt} />),
    },
  ];
  return columns.filter((column) => column !== false);
}
