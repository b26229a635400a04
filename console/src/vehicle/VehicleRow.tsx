// A vehicle in the list: its train, state, load, line and age of its position; opened, its coaches and the curve of a day.
import type { Vehicle } from "@psp/contract/vehicle/vehicle.ts";
import ExpandMoreRounded from "~icons/ic/round-expand-more";
import { ButtonBase } from "@mui/material";
import { styled } from "@mui/material/styles";
import { lazy, memo, Suspense, useId } from "react";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { FormSkeleton } from "../ui/feedback/Skeletons.tsx";
import { RelativeTime, useNow } from "../ui/time/RelativeTime.tsx";
import { Train } from "./Train.tsx";
import { ageVehicle, type Fullness, fullnessOf } from "./vehicle.rules.ts";
import { vehicleText as text } from "./vehicle.text.ts";

const VehicleDetails = lazy(() =>
  import("./VehicleDetails.tsx").then(({ VehicleDetails: component }) => ({ default: component })),
);

const Item = styled("li")(({ theme }) => ({
  borderBottom: `1px solid ${theme.vars.palette.divider}`,
  contentVisibility: "auto",
  containIntrinsicSize: "auto 64px",
}));

const Line = styled("div")(({ theme }) => ({
  display: "grid",
  gridTemplate: `"name train state age" auto / minmax(150px, 1.1fr) minmax(0, 4fr) 132px 104px`,
  alignItems: "center",
  gap: theme.spacing(4),
  minHeight: 60,
  padding: "8px 12px",
  "@media (max-width: 899.95px)": {
    gridTemplate: `"name state" auto "train train" auto "age age" auto / minmax(0, 1fr) auto`,
    rowGap: 6,
    columnGap: 12,
  },
}));

const Opener = styled(ButtonBase)(({ theme }) => ({
  gridArea: "name",
  font: "inherit",
  justifyContent: "flex-start",
  gap: theme.spacing(1),
  minHeight: 44,
  borderRadius: 6,
  textAlign: "left",
  "& svg": { transition: "transform 120ms", color: theme.vars.palette.text.secondary },
  "&[aria-expanded=true] svg": { transform: "rotate(180deg)" },
  "&:hover": { backgroundColor: theme.vars.palette.action.hover },
  "@media (prefers-reduced-motion: reduce)": { "& svg": { transition: "none" } },
}));

const Quiet = styled("span")(({ theme }) => ({
  display: "block",
  fontSize: "0.75rem",
  lineHeight: "16px",
  color: theme.vars.palette.text.secondary,
  overflowWrap: "anywhere",
}));

const Id = styled("span")({ display: "block", fontWeight: 600, lineHeight: "20px", overflowWrap: "anywhere" });

export const toneOfFullness: Record<Fullness, StatusTone> = {
  empty: "good",
  free: "good",
  busy: "warning",
  full: "bad",
  none: "neutral",
};

function toneOf(vehicle: Vehicle): StatusTone {
  return vehicle.state === "outOfService" ? "off" : toneOfFullness[fullnessOf(vehicle.load)];
}

/** "62 %, 143 seats free", or the state. */
export const wordsOf = ({ load, state }: Vehicle): string =>
  load === null || state === "empty"
    ? text.states[state]
    : `${text.percent(load.percent)}, ${text.seats(load.seatsFree)}`;

type VehicleRowProps = {
  vehicle: Vehicle;
  isOpen: boolean;
  hasOwner: boolean;
  onToggle: (id: string) => void;
};

export const VehicleRow = memo(function VehicleRow({ vehicle: given, isOpen, hasOwner, onToggle }: VehicleRowProps) {
  const vehicle = ageVehicle(given, useNow());
  const { _id, vehicleId, line, owner, load, state, position } = vehicle;
  const detailsId = useId();
  const notes = [line === null ? null : text.lineOf(line), hasOwner ? owner.name : null].filter((one) => one !== null);
  return (
    <Item data-row-id={_id}>
      <Line>
        <Opener
          data-opener=""
          aria-expanded={isOpen}
          aria-controls={isOpen ? detailsId : undefined}
          onClick={() => onToggle(_id)}
        >
          <ExpandMoreRounded aria-hidden fontSize="small" />
          <span>
            <Id>{vehicleId}</Id>
            {notes.length === 0 ? null : <Quiet>{notes.join(" · ")}</Quiet>}
          </span>
        </Opener>
        <div style={{ gridArea: "train" }}>
          <Train vehicle={vehicle} />
        </div>
        <div style={{ gridArea: "state" }}>
          <StatusDot
            tone={toneOf(vehicle)}
            label={load === null || state === "empty" ? text.states[state] : text.percent(load.percent)}
          />
          {load === null ? null : <Quiet>{text.seats(load.seatsFree)}</Quiet>}
        </div>
        <div style={{ gridArea: "age" }}>
          {position === null ? (
            <Quiet>{text.noPosition}</Quiet>
          ) : (
            <Quiet>
              {text.position} <RelativeTime value={position.at} />
            </Quiet>
          )}
        </div>
      </Line>
      {isOpen ? (
        <section id={detailsId} aria-label={text.details(vehicleId)}>
          <Suspense fallback={<FormSkeleton />}>
            <VehicleDetails vehicle={vehicle} />
          </Suspense>
        </section>
      ) : null}
    </Item>
  );
});
