// Table of ledger entries, latest first.
import { Box, Button, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import type { LedgerEntry } from "@psp/contract/occupancy/occupancy.api.ts";
import { useState } from "react";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { Mono } from "../../ui/Mono.tsx";
import type { Ledger } from "./ledger.queries.ts";
import { ledgerText as text } from "./ledger.text.ts";
import { formatNumber } from "../../ui/text/numbers.ts";

const atOnce = 50;
const numberOr = (value: number | null) => (value === null ? "" : formatNumber(value));

export function Entries({ ledger: { entries, since }, zone }: { ledger: Ledger; zone: string }) {
  const [most, setMost] = useState(atOnce);
  const shown = entries.toReversed().slice(0, most);
  return (
    <SectionCard title={text.entries}>
      <div>
        {entries.length === 0 ? text.none : text.entriesOf(entries.length, formatExactTime(Date.parse(since), zone))}
      </div>
      {entries.length === 0 ? null : (
        <Box tabIndex={0} role="region" aria-label={text.entries} sx={{ overflowX: "auto" }}>
          <Table size="small" aria-label={text.entries} sx={{ "& td": { height: 32 } }}>
            <TableHead>
              <TableRow>
                {text.columns.map((name) => (
                  <TableCell key={name}>{name}</TableCell>
                ))}
              </TableRow>
            </TableHead>
            <TableBody>
              {shown.map((entry, index) => (
                <EntryRow key={`${entry.at} ${index}`} entry={entry} zone={zone} />
              ))}
            </TableBody>
          </Table>
        </Box>
      )}
      {entries.length > most ? (
        <Box>
          <Button color="inherit" onClick={() => setMost(entries.length)}>
            {text.showAll(entries.length)}
          </Button>
        </Box>
      ) : null}
    </SectionCard>
  );
}

function EntryRow({ entry, zone }: { entry: LedgerEntry; zone: string }) {
  const { at, kind, sens, count, note, by, quality } = entry;
  const how = quality === null || quality === "measured" ? "" : `(${quality})`;
  return (
    <TableRow>
      <TableCell sx={{ whiteSpace: "nowrap" }}>{formatExactTime(Date.parse(at), zone)}</TableCell>
      <TableCell sx={{ whiteSpace: "nowrap" }}>{text.kinds[kind]}</TableCell>
      <TableCell>
        {sens === null ? (
          ""
        ) : (
          <AppLink to={paths.sensor(sens)} query="dropList" sx={{ ...standaloneLinkStyles, whiteSpace: "nowrap" }}>
            <Mono>{sens}</Mono>
          </AppLink>
        )}
      </TableCell>
      <TableCell>{numberOr(entry.in)}</TableCell>
      <TableCell>{numberOr(entry.out)}</TableCell>
      <TableCell>{formatNumber(count)}</TableCell>
      <TableCell sx={{ minWidth: 160 }}>{`${note ?? ""} ${how}`.trim()}</TableCell>
      <TableCell>{by?.name ?? ""}</TableCell>
    </TableRow>
  );
}
