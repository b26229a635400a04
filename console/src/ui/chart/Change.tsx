// A change in percent, or in percentage points, as an arrow, a color and a word for screen readers, so that no information depends on color alone.
import { Box } from "@mui/material";
import { visuallyHidden } from "../visuallyHidden.ts";
import { formatNumber } from "../text/numbers.ts";

const directions = {
  up: { word: "up", color: "success.main", path: "M6 1.5 10.5 6.5H7.2V10.5H4.8V6.5H1.5Z" },
  down: { word: "down", color: "warning.main", path: "M6 10.5 1.5 5.5H4.8V1.5H7.2V5.5H10.5Z" },
  equal: { word: "unchanged,", color: "text.secondary", path: "M2 3.2h8v1.8H2ZM2 7h8v1.8H2Z" },
} as const;

export type ChangeProps = { percent: number } | { points: number };

const unitWords = { points: "percentage points" };

export function Change(props: ChangeProps) {
  const value = "percent" in props ? props.percent : props.points;
  const { word, color, path } = directions[value > 0 ? "up" : value < 0 ? "down" : "equal"];
  return (
    <Box
      component="span"
      sx={{
        position: "relative",
        color,
        fontWeight: 600,
        fontVariantNumeric: "tabular-nums",
        whiteSpace: "nowrap",
      }}
    >
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden style={{ marginRight: 4 }}>
        <path d={path} fill="currentColor" />
      </svg>
      <span style={visuallyHidden}>{`${word} `}</span>
      {formatNumber(Math.abs(value))}
      {"percent" in props ? (
        " %"
      ) : (
        <>
          <span aria-hidden> pp</span>
          <span style={visuallyHidden}>{` ${unitWords.points}`}</span>
        </>
      )}
    </Box>
  );
}
