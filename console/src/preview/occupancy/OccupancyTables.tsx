// Tables with the occupancy of cameras, levels and sections.
import type { OccupancyPreview } from "@psp/contract/section/preview.ts";
import { Box, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import type { ReactNode } from "react";
import { CameraState } from "../Cameras.tsx";
import { FillMeter } from "./FillMeter.tsx";
import {
  type OccupancyCount,
  toLevelOccupancies,
  toSectionOccupancies,
  formatOccupancy,
  formatShare,
} from "./occupancy.ts";
import { previewText as text } from "../preview.text.ts";

type Row = { id: string; name: string; cells: readonly ReactNode[] };
type PartsTableProps = { label: string; heads: readonly string[]; rows: readonly Row[]; empty: string };

function PartsTable({ label, heads, rows, empty }: PartsTableProps) {
  if (rows.length === 0) return <Box sx={{ color: "text.secondary" }}>{empty}</Box>;
  return (
    <Table size="small" aria-label={label} sx={{ "& th, & td": { py: 2, px: { xs: 1.5, sm: 3 } } }}>
      <TableHead>
        <TableRow>
          {heads.map((head) => (
            <TableCell key={head}>{head}</TableCell>
          ))}
        </TableRow>
      </TableHead>
      <TableBody>
        {rows.map(({ id, name, cells }) => (
          <TableRow key={id}>
            <TableCell component="th" scope="row" sx={{ overflowWrap: "anywhere" }}>
              {name}
            </TableCell>
            {cells.map((cell, n) => (
              <TableCell key={heads[n + 1]}>{cell}</TableCell>
            ))}
          </TableRow>
        ))}
      </TableBody>
    </Table>
  );
}

const one = { whiteSpace: "nowrap" } as const;

const fillCells = (label: string, filled: OccupancyCount) => [
  <Box key="words" component="span" sx={one}>
    {formatOccupancy(filled)}
  </Box>,
  <Box key="bar" sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 2 }}>
    <Box sx={{ flex: "1 1 64px" }}>
      <FillMeter label={label} filled={filled} />
    </Box>
    {filled.persons === null ? null : (
      <Box component="span" sx={{ ...one, minWidth: 48 }}>
        {formatShare(filled)}
      </Box>
    )}
  </Box>,
];

export const LevelTable = ({ answer }: { answer: OccupancyPreview }) => (
  <PartsTable
    label="Levels"
    heads={[text.level, text.personsAndPlaces, text.share]}
    empty={text.noLevels}
    rows={toLevelOccupancies(answer).map((level) => ({
      id: level.id ?? "",
      name: level.name,
      cells: fillCells(text.nameOfLevel(level.name), level),
    }))}
  />
);

export function SectionTable({ answer }: { answer: OccupancyPreview }) {
  const levelOf = new Map(
    toLevelOccupancies(answer).flatMap(({ name, sections }) => sections.map(({ id }) => [id, name] as const)),
  );
  return (
    <PartsTable
      label="Sections"
      heads={[text.section, text.level, text.personsAndPlaces, text.share]}
      empty={text.noSections}
      rows={toSectionOccupancies(answer).map((section) => ({
        id: section.id,
        name: section.name,
        cells: [levelOf.get(section.id) ?? "-", ...fillCells(text.nameOfSection(section.name), section)],
      }))}
    />
  );
}

/** Cameras have no capacity. */
export const CameraTable = ({ cameras }: Pick<OccupancyPreview, "cameras">) => (
  <PartsTable
    label="Cameras"
    heads={[text.camera, text.persons, text.state]}
    empty={text.noCameras}
    rows={cameras.map(({ id, name, persons, state }) => ({
      id,
      name,
      cells: [persons ?? text.unknown, <CameraState key="state" state={state} />],
    }))}
  />
);
