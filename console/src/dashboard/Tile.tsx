// Tile with a number that links to a list.
import { Box, Link, Skeleton } from "@mui/material";
import type { ReactNode } from "react";
import { useLink } from "../address/navigation.tsx";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { formatNumber } from "../ui/text/numbers.ts";

/** Tiles of the last row grow to fill it. */
export function Tiles({ atLeast = 130, children }: { atLeast?: number; children: ReactNode }) {
  const flex = `1 1 ${atLeast}px`;
  return <Box sx={{ display: "flex", flexWrap: "wrap", gap: { xs: 3, sm: 4 }, "& > *": { flex } }}>{children}</Box>;
}

type TileProps = {
  label: ReactNode;
  /** Null if unknown, undefined while loading. */
  value: number | null | undefined;
  to: string;
};

export function Tile({ label, value, to }: TileProps) {
  return (
    <Link
      {...useLink(to, "none")}
      color="inherit"
      underline="none"
      sx={{
        display: "flex",
        flexDirection: "column",
        justifyContent: "space-between",
        minWidth: 0,
        px: 4,
        py: 3,
        border: 1,
        borderColor: "divider",
        borderRadius: 1,
        "&:hover": { bgcolor: "action.hover" },
      }}
    >
      <Box component="span" sx={{ color: "text.secondary" }}>
        {label}
      </Box>
      <Box
        component="strong"
        sx={{ fontSize: "1.5rem", lineHeight: "32px", fontWeight: 600, fontVariantNumeric: "tabular-nums" }}
      >
        {value === undefined ? (
          <Skeleton width={56} />
        ) : value === null ? (
          "–"
        ) : (
          <LiveValue large>{formatNumber(value)}</LiveValue>
        )}
      </Box>
    </Link>
  );
}
