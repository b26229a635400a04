// The coaches of a vehicle in numbers, with links to their sensors, and the curve of a day.
import type { Vehicle, VehicleCoach } from "@psp/contract/vehicle/vehicle.ts";
import { Alert, Box, Table, TableBody, TableCell, TableHead, TableRow } from "@mui/material";
import { useMemo, useState } from "react";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { failureText } from "../api/useFailure.ts";
import { CountChart } from "../ui/chart/CountChart.tsx";
import { StatusDot } from "../ui/feedback/StatusDot.tsx";
import { Mono } from "../ui/Mono.tsx";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { DateField } from "../ui/time/DateField.tsx";
import { RelativeTime } from "../ui/time/RelativeTime.tsx";
import { localDate, toChartSlots } from "./day.rules.ts";
import { useVehicleDay } from "./vehicle.queries.ts";
import { toneOfFullness } from "./VehicleRow.tsx";
import { fullnessOf } from "./vehicle.rules.ts";
import { vehicleText as text } from "./vehicle.text.ts";

export const VehicleDetails = ({ vehicle }: { vehicle: Vehicle }) => (
  <Box
    sx={{
      display: "grid",
      gridTemplateColumns: "minmax(0, 1fr)",
      "@media (min-width: 1700px)": { gridTemplateColumns: "minmax(0, 1fr) minmax(0, 1fr)" },
      gap: 6,
      px: 3,
      pt: 1,
      pb: 5,
    }}
  >
    <CoachTable vehicle={vehicle} />
    <DayCurve id={vehicle._id} name={vehicle.vehicleId} />
  </Box>
);

const CoachTable = ({ vehicle: { coaches, vehicleId } }: { vehicle: Vehicle }) => (
  <Box sx={{ overflowX: "auto", maxWidth: 820 }} tabIndex={0} role="group" aria-label={text.coaches(vehicleId)}>
    <Table
      size="small"
      sx={{ "& td, & th": { px: 3, height: 36, whiteSpace: "nowrap", fontVariantNumeric: "tabular-nums" } }}
    >
      <TableHead>
        <TableRow>
          <TableCell>{text.coachColumn}</TableCell>
          <TableCell>{text.load}</TableCell>
          <TableCell align="right">{text.persons}</TableCell>
          <TableCell align="right">{text.seatsFree}</TableCell>
          <TableCell align="right">{text.places}</TableCell>
          <TableCell>{text.reported}</TableCell>
          <TableCell>{text.sensors}</TableCell>
        </TableRow>
      </TableHead>
      <TableBody>
        {coaches.map((coach) => (
          <CoachRow key={coach.sequence} coach={coach} />
        ))}
      </TableBody>
    </Table>
  </Box>
);

function CoachRow({ coach: { sequence, name, state, load, at, sensorIDs } }: { coach: VehicleCoach }) {
  const isNamed = name !== null && name !== text.coachNumber(sequence);
  return (
    <TableRow>
      <TableCell component="th" scope="row">
        {sequence}
        {isNamed ? (
          <Box component="span" sx={{ color: "text.secondary" }}>
            {" "}
            {name}
          </Box>
        ) : null}
      </TableCell>
      <TableCell>
        <StatusDot
          tone={state === "outOfService" ? "off" : toneOfFullness[fullnessOf(load)]}
          label={load === null || state === "empty" ? text.states[state] : text.percent(load.percent)}
        />
      </TableCell>
      <TableCell align="right">{load?.persons ?? "–"}</TableCell>
      <TableCell align="right">{load?.seatsFree ?? "–"}</TableCell>
      <TableCell align="right">{load === null ? "–" : `${load.seats} + ${load.standing}`}</TableCell>
      <TableCell>
        <RelativeTime value={at} fallback={text.never} />
      </TableCell>
      <TableCell>
        {sensorIDs.length === 0 ? text.noSensor : null}
        {sensorIDs.map((id) => (
          <AppLink key={id} to={paths.sensorGeneral("ZOD", id)} query="none" sx={standaloneLinkStyles}>
            <Mono>{id}</Mono>
          </AppLink>
        ))}
      </TableCell>
    </TableRow>
  );
}

const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone;

function DayCurve({ id, name }: { id: string; name: string }) {
  const [date, setDate] = useState(() => localDate(Date.now()));
  const { data, error } = useVehicleDay(id, date, zone());
  const slots = useMemo(() => (data === undefined ? [] : toChartSlots(data)), [data]);
  const columns = useMemo(() => [{ name: text.curvePersons, cells: slots.map(({ persons }) => persons) }], [slots]);
  return (
    <Box sx={{ minWidth: 0 }}>
      <DateField
        label={text.day}
        value={date}
        sx={{ mb: 3, width: 170 }}
        slotProps={{ inputLabel: { shrink: true } }}
        onChoose={(chosen) => {
          const isDay = /^20\d{2}-\d{2}-\d{2}$/.test(chosen);
          if (isDay) setDate(chosen);
          return isDay;
        }}
      />
      {error !== null && data === undefined ? (
        <Alert severity="error">
          {text.curveFailed}. {failureText(error)}
        </Alert>
      ) : (
        <Box sx={{ minHeight: 220 }}>
          {slots.length === 0 ? null : (
            <CountChart
              label={text.curve(name)}
              series={[{ name: text.curveSeries }]}
              slots={slots}
              columns={columns}
              slotName={text.slot}
              height={180}
            />
          )}
        </Box>
      )}
    </Box>
  );
}
