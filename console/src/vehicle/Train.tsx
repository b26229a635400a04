// A train drawn as its coaches in order: each with its number, its load as text and as a bar.
import type { Vehicle, VehicleCoach } from "@psp/contract/vehicle/vehicle.ts";
import { styled } from "@mui/material/styles";
import { memo } from "react";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { fullnessOf } from "./vehicle.rules.ts";
import { vehicleText as text } from "./vehicle.text.ts";

const Coaches = styled("ol")({
  display: "flex",
  flexWrap: "wrap",
  gap: 3,
  margin: 0,
  padding: 0,
  listStyle: "none",
  minWidth: 0,
});

const Coach = styled("li")(({ theme }) => ({
  position: "relative",
  boxSizing: "border-box",
  display: "flex",
  flexDirection: "column",
  justifyContent: "center",
  flex: "0 1 76px",
  minWidth: 58,
  height: 40,
  padding: "0 8px 5px",
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 4,
  overflow: "hidden",
  backgroundColor: theme.vars.palette.background.paper,
  fontVariantNumeric: "tabular-nums",
  "&:first-of-type": { borderTopLeftRadius: 14, borderBottomLeftRadius: 6 },
  "&:last-of-type": { borderTopRightRadius: 14, borderBottomRightRadius: 6 },
  "&[data-fullness=none]": { borderStyle: "dashed", color: theme.vars.palette.text.secondary },
  "@media (max-width: 599.95px)": { flex: "1 1 58px", maxWidth: 96, height: 44 },
}));

const Sequence = styled("span")(({ theme }) => ({
  fontSize: "0.6875rem",
  lineHeight: "14px",
  color: theme.vars.palette.text.secondary,
}));

const Figure = styled("span")({ fontSize: "0.8125rem", lineHeight: "16px", fontWeight: 600, whiteSpace: "nowrap" });

const Bar = styled("span")(({ theme }) => ({
  position: "absolute",
  left: 0,
  bottom: 0,
  width: "100%",
  height: 5,
  backgroundColor: theme.vars.palette.action.hover,
  forcedColorAdjust: "none",
  "& > span": {
    position: "absolute",
    inset: 0,
    transformOrigin: "left",
    backgroundColor: theme.vars.palette.success.main,
  },
  "&[data-fullness=busy] > span": { backgroundColor: theme.vars.palette.warning.light },
  "&[data-fullness=full] > span": { backgroundColor: theme.vars.palette.error.main },
}));

const CoachBox = memo(function CoachBox({ coach: { sequence, state, load } }: { coach: VehicleCoach }) {
  const fullness = fullnessOf(load);
  return (
    <Coach data-fullness={fullness}>
      <span style={visuallyHidden}>{text.coach(sequence, state, load)}</span>
      <Sequence aria-hidden>{sequence}</Sequence>
      <Figure aria-hidden>{load === null ? "–" : text.percent(load.percent)}</Figure>
      <Bar aria-hidden data-fullness={fullness}>
        <span style={{ transform: `scaleX(${Math.min(100, load?.percent ?? 0) / 100})` }} />
      </Bar>
    </Coach>
  );
});

export const Train = ({ vehicle: { vehicleId, coaches } }: { vehicle: Vehicle }) => (
  <Coaches aria-label={text.coaches(vehicleId)}>
    {coaches.map((coach) => (
      <CoachBox key={coach.sequence} coach={coach} />
    ))}
  </Coaches>
);
