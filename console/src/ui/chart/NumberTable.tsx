// Table with the numbers of a chart. The first cell of each row is the row's title.
import { styled } from "@mui/material/styles";

type NumberTableProps = {
  heads: readonly string[];
  /** `note` is shown beside the row's title. */
  rows: readonly { key: string | number; note?: string; cells: readonly string[] }[];
};

export function NumberTable({ heads, rows }: NumberTableProps) {
  return (
    <Table>
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, note = "", cells: [name, ...values] }) => (
          <tr key={key}>
            <th scope="row">
              {name}
              {note === "" ? null : <small>{` ${note}`}</small>}
            </th>
            {values.map((value, column) => (
              <td key={heads[column + 1]}>{value}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </Table>
  );
}

const Table = styled("table")(({ theme }) => ({
  width: "100%",
  borderCollapse: "collapse",
  fontVariantNumeric: "tabular-nums",
  "& th, & td": {
    textAlign: "right",
    padding: theme.spacing(0.75, 2),
    borderBottom: `1px solid ${theme.vars.palette.divider}`,
  },
  "& th:first-of-type": { textAlign: "left" },
  "& thead th": {
    fontWeight: 600,
    position: "sticky",
    top: 0,
    backgroundColor: theme.vars.palette.background.paper,
    "@media print": { position: "static" },
  },
  "& tbody th": { fontWeight: 400 },
  "& small": { marginLeft: theme.spacing(1), fontSize: "0.75rem", color: theme.vars.palette.text.secondary },
}));
