// Shows how many sensors of a rollout are in each state, with links to lists of these sensors.
import type { Rollout } from "@psp/contract/firmware/firmware.ts";
import { Box, Link } from "@mui/material";
import { formatSearch } from "../address/address.ts";
import { useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { LiveValue } from "../ui/feedback/LiveValue.tsx";
import { rolloutText as text } from "./rollout.text.ts";
import { formatNumber } from "../ui/text/numbers.ts";

const figures = ["running", "waiting", "paused", "installing", "done", "failed", "canceled", "reverted"] as const;
type FigureName = (typeof figures)[number];

export function RolloutFigures({ id, rollout }: { id: string; rollout: Rollout }) {
  return (
    <Box sx={{ display: "grid", gap: 3, gridTemplateColumns: "repeat(auto-fit, minmax(min(120px, 100%), 1fr))" }}>
      {figures.map((name) => (
        <Figure key={name} id={id} name={name} count={rollout[name]} />
      ))}
    </Box>
  );
}

function Figure({ id, name, count }: { id: string; name: FigureName; count: number }) {
  const filter = name === "running" ? { artifactRunningID: id } : { artifactID: id, installation: name };
  return (
    <Link
      {...useLink(paths.sensors + formatSearch(filter), "none")}
      color="inherit"
      underline="none"
      sx={{
        display: "flex",
        flexDirection: "column",
        minWidth: 0,
        px: 3,
        py: 2,
        border: 1,
        borderColor: "divider",
        borderRadius: 1,
        "&:hover": { bgcolor: "action.hover" },
      }}
    >
      <Box component="span" sx={{ color: "text.secondary" }}>
        {text.figures[name]}
      </Box>{" "}
      <Box
        component="strong"
        sx={{ fontSize: "1.25rem", lineHeight: "28px", fontWeight: 600, fontVariantNumeric: "tabular-nums" }}
      >
        <LiveValue large>{formatNumber(count)}</LiveValue>
      </Box>
    </Link>
  );
}
