// Rings of counts in a row, each part a link to the list that it counts.
import { Box } from "@mui/material";
import type { ReactNode } from "react";
import { AppLink } from "../address/navigation.tsx";
import { loneLink } from "../theme/targets.ts";
import { Doughnut } from "../ui/chart/Doughnut.tsx";
import { dashboardText } from "./dashboard.text.ts";

/** A count, and the list that it counts. */
export type Share = readonly [label: string, count: number, color: string, list: string];

type Ring = readonly [title: string, shares: readonly Share[], explained?: string];

export function Rings({ rings }: { rings: readonly Ring[] }) {
  return (
    <Box
      sx={{
        display: "grid",
        gap: 6,
        // All in a row, or all below each other: none stands alone beside an empty place.
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
            shown: <CountedLink to={list}>{label}</CountedLink>,
          }))}
        />
      ))}
    </Box>
  );
}

/** Looks like the text that it is, until it is pointed at. */
export function CountedLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <AppLink to={to} query="none" color="inherit" underline="hover" sx={loneLink}>
      {children}
    </AppLink>
  );
}
