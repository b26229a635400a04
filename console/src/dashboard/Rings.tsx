// Ring charts in a row; each segment links to the filtered list.
import { Box } from "@mui/material";
import type { ReactNode } from "react";
import { AppLink } from "../address/navigation.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { Doughnut } from "../ui/chart/Doughnut.tsx";
import { dashboardText } from "./dashboard.text.ts";

export type RingSegment = readonly [label: string, count: number, color: string, list: string];

type Ring = readonly [title: string, shares: readonly RingSegment[], explained?: string];

export function Rings({ rings }: { rings: readonly Ring[] }) {
  return (
    <Box
      sx={{
        display: "grid",
        gap: 6,
        // Either one row or one column, because a wrapped row could leave a single ring in the last line.
        gridTemplateColumns: { xs: "minmax(0, 1fr)", sm: `repeat(${rings.length}, minmax(0, 1fr))` },
      }}
    >
      {rings.map(([title, shares, explained]) => (
        <Doughnut
          key={title}
          title={title}
          explained={explained}
          totalLabel={dashboardText.total}
          parts={shares.map(([label, count, color, list]) => ({
            label,
            count,
            color,
            shown: <PlainLink to={list}>{label}</PlainLink>,
          }))}
        />
      ))}
    </Box>
  );
}

export function PlainLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <AppLink to={to} query="none" color="inherit" underline="hover" sx={standaloneLinkStyles}>
      {children}
    </AppLink>
  );
}
