// Plan of a coach. Each level is a row of sections sized by capacity, or a column on narrow screens.
import { Box, Typography } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useId } from "react";
import { Swatch } from "../../ui/chart/lazyChart.tsx";
import { useSize } from "../../ui/chart/useSize.ts";
import { areaColors } from "./fill-colors.ts";
import {
  type LevelOccupancy,
  type SectionOccupancy,
  formatOccupancy,
  type FillStep,
  fillSteps,
  formatShare,
  fillStepOf,
} from "./occupancy.ts";
import { previewText as text } from "../preview.text.ts";

/** Minimum width of a section in px. On screens too narrow for it, sections are stacked. */
const narrow = 84;
const row = { wide: 88, high: 56 };
const hull = 6;

export function CoachPlan({ levels }: { levels: readonly LevelOccupancy[] }) {
  const { ref, width } = useSize();
  // All levels use the same orientation.
  const most = Math.max(1, ...levels.map(({ sections }) => sections.length));
  const isColumn = width < (narrow + hull) * most;
  return (
    <Box ref={ref} sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
      {width === 0
        ? null
        : levels.map((level) => (
            <Box key={level.id ?? ""} component="section" aria-label={nameOf(level)}>
              <Box sx={{ display: "flex", justifyContent: "space-between", gap: 3, mb: 1 }}>
                <Typography variant="h3" sx={{ minWidth: 0, overflowWrap: "anywhere" }}>
                  {nameOf(level)}
                </Typography>
                <Box component="span" sx={{ fontVariantNumeric: "tabular-nums", whiteSpace: "nowrap" }}>
                  {formatOccupancy(level)}
                </Box>
              </Box>
              <Level level={level} width={width} isColumn={isColumn} />
            </Box>
          ))}
      <Legend />
    </Box>
  );
}

const nameOf = ({ id, name }: LevelOccupancy) => (id === null ? name : text.nameOfLevel(name));

type Area = { x: number; y: number; width: number; height: number };

/** Rectangle of each section. In a row, the width grows with the capacity, but is never too narrow to read. */
function areasOf(sections: readonly SectionOccupancy[], width: number, isColumn: boolean): Area[] {
  const inner = width - 2 * hull;
  if (isColumn) return sections.map((_, n) => ({ x: hull, y: hull + n * row.high, width: inner, height: row.high }));
  const least = narrow * sections.length;
  const places = Math.max(
    1,
    sections.reduce((sum, { capacity }) => sum + capacity, 0),
  );
  let x = hull;
  return sections.map(({ capacity }) => {
    const area = { x, y: hull, width: narrow + ((inner - least) * capacity) / places, height: row.wide };
    x += area.width;
    return area;
  });
}

const Drawing = styled("svg")(({ theme }) => ({
  display: "block",
  width: "100%",
  height: "auto",
  // Keeps its colors in forced-colors mode, because the contrast of its texts depends on them.
  forcedColorAdjust: "none",
  "& .hull": { fill: theme.vars.palette.background.paper, stroke: theme.vars.palette.text.secondary, strokeWidth: 2 },
  "& .area": { stroke: theme.vars.palette.text.secondary, strokeWidth: 1 },
  "& .stripe": { stroke: theme.vars.palette.text.disabled, strokeWidth: 1.5 },
}));

const Words = styled("div")(({ theme }) => ({
  height: "100%",
  padding: "0 8px",
  display: "flex",
  flexDirection: "column",
  justifyContent: "center",
  fontSize: "0.75rem",
  lineHeight: "16px",
  color: theme.vars.palette.text.primary,
  fontVariantNumeric: "tabular-nums",
  "& > *": { overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" },
  "& > strong": { fontSize: "0.875rem", lineHeight: "20px", fontWeight: 600 },
}));

type LevelProps = { level: LevelOccupancy; width: number; isColumn: boolean };

function Level({ level: { sections }, width, isColumn }: LevelProps) {
  const stripes = useId();
  if (sections.length === 0) return <Box sx={{ color: "text.secondary" }}>{text.noSections}</Box>;
  const height = (isColumn ? sections.length * row.high : row.wide) + 2 * hull;
  const areas = areasOf(sections, width, isColumn);
  return (
    <Drawing viewBox={`0 0 ${width} ${height}`}>
      <pattern id={stripes} width={8} height={8} patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
        <path className="stripe" d="M0 0V8" />
      </pattern>
      <rect className="hull" x={1} y={1} width={width - 2} height={height - 2} rx={14} />
      {sections.map((section, n) => {
        const area = areas[n];
        const step = fillStepOf(section);
        return area === undefined ? null : (
          <g key={section.id} role="group" aria-label={text.nameOfSection(section.name)}>
            <rect className="area" {...area} rx={8} style={{ fill: areaColors[step] }} />
            {step === "unknown" ? <rect {...area} rx={8} fill={`url(#${stripes})`} fillOpacity={0.35} /> : null}
            <foreignObject {...area}>
              <Words title={`${section.name}: ${formatOccupancy(section)}`}>
                <span>{section.name}</span>
                <strong>{formatOccupancy(section)}</strong>
                {step === "unknown" ? null : <span>{formatShare(section)}</span>}
              </Words>
            </foreignObject>
          </g>
        );
      })}
    </Drawing>
  );
}

const legendWords: Record<FillStep, string> = {
  low: text.upTo(50),
  middle: text.upTo(80),
  high: text.below(100),
  full: text.full,
  unknown: text.legendUnknown,
};

function Legend() {
  return (
    <Box
      component="ul"
      aria-label={text.legend}
      sx={{
        m: 0,
        p: 0,
        listStyle: "none",
        display: "flex",
        flexWrap: "wrap",
        columnGap: 4,
        rowGap: 1,
        color: "text.secondary",
        fontSize: "0.75rem",
      }}
    >
      {[...fillSteps, "unknown" as const].map((step) => (
        <Box component="li" key={step} sx={{ display: "flex", alignItems: "center", gap: 1 }}>
          <Swatch
            style={{
              backgroundColor: areaColors[step],
              border: "1px solid var(--mui-palette-text-secondary)",
              width: 14,
              height: 14,
              ...(step === "unknown" && {
                backgroundImage:
                  "repeating-linear-gradient(45deg, var(--mui-palette-text-disabled) 0 1.5px, transparent 1.5px 5px)",
              }),
            }}
          />
          {legendWords[step]}
        </Box>
      ))}
    </Box>
  );
}
