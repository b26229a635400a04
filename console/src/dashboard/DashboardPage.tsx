// The fleet in numbers: sensors by connection, type and license, the firmware most in use, locations by license (spec 2 §2).
import { locationStats } from "@psp/contract/location/location.api.ts";
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import { Box, Typography } from "@mui/material";
import { useTheme } from "@mui/material/styles";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { call } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { useCan } from "../session/useCan.ts";
import { useSensorStats } from "../session/useMonitoringLicense.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { Doughnut } from "../ui/chart/Doughnut.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { dashboardText } from "./dashboard.text.ts";

const topFirmware = 10;

type Bucket<T> = readonly { _id: T; count: number }[];
const countOf = <T,>(buckets: Bucket<T>, id: T) => buckets.find((bucket) => bucket._id === id)?.count ?? 0;

export function DashboardPage() {
  const can = useCan();
  return (
    <>
      <PageHeader title={dashboardText.title} />
      <Box sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
        {can.viewType("sensor") ? <SensorNumbers /> : null}
        {can.viewType("measurement") ? <LocationNumbers /> : null}
      </Box>
    </>
  );
}

type NumbersProps<T> = {
  title: string;
  answer: UseQueryResult<T>;
  /** Of what is shown while they are awaited. */
  height: number;
  children: (data: T) => ReactNode;
};

function Numbers<T>({ title, answer: { data, error }, height, children }: NumbersProps<T>) {
  if (data !== undefined) {
    return (
      <SectionCard gap={5} title={title}>
        {children(data)}
      </SectionCard>
    );
  }
  if (error === null) return <CardSkeleton height={height} />;
  return <EmptyState kind="error" title={dashboardText.loadFailed} text={failureText(error)} />;
}

type Share = readonly [label: string, count: number, color: string];

function Rings({ rings }: { rings: readonly (readonly [title: string, shares: readonly Share[]])[] }) {
  return (
    <Box sx={{ display: "grid", gap: 6, gridTemplateColumns: "repeat(auto-fit, minmax(min(280px, 100%), 1fr))" }}>
      {rings.map(([title, shares]) => (
        <Doughnut
          key={title}
          title={title}
          totalLabel={dashboardText.total}
          parts={shares.map(([label, count, color]) => ({ label, count, color }))}
        />
      ))}
    </Box>
  );
}

function SensorNumbers() {
  const { palette } = useTheme().vars;
  const typeColors = { APS: palette.primary.main, "PS.C1": palette.info.light, ZOD: palette.secondary.light };
  const { states } = dashboardText;
  return (
    <Numbers title={dashboardText.sensors} answer={useSensorStats()} height={360}>
      {({ totalByScomState: byState, totalByMonitoringLicense: byLicense, totalByType, totalByInfoFirmware }) => (
        <>
          <Rings
            rings={[
              [
                dashboardText.online,
                [
                  [states.connected, countOf(byState, "connected"), palette.success.main],
                  [states.notResponding, countOf(byState, "notResponding"), palette.warning.light],
                  [states.disconnected, countOf(byState, "disconnected"), palette.text.disabled],
                ],
              ],
              [dashboardText.byType, sensorTypes.map((type) => [type, countOf(totalByType, type), typeColors[type]])],
              [
                dashboardText.byLicense,
                [
                  [dashboardText.monitored, countOf(byLicense, true), palette.primary.main],
                  [dashboardText.unmonitored, countOf(byLicense, false), palette.text.disabled],
                ],
              ],
            ]}
          />
          <FirmwareBars firmware={totalByInfoFirmware} />
        </>
      )}
    </Numbers>
  );
}

function LocationNumbers() {
  const { palette } = useTheme().vars;
  const answer = useQuery({
    queryKey: ["measurement", "total", "stats"],
    queryFn: ({ signal }) => call(locationStats, { signal }),
  });
  const { byOccupancy, withApp, withoutApp } = dashboardText;
  return (
    <Numbers title={dashboardText.locations} answer={answer} height={220}>
      {({ totalByOccupancyLicense: byLicense }) => {
        const shares: Share[] = [
          [withApp, countOf(byLicense, true), palette.primary.main],
          [withoutApp, countOf(byLicense, false), palette.text.disabled],
        ];
        return <Rings rings={[[byOccupancy, shares]]} />;
      }}
    </Numbers>
  );
}

/** Direct labels instead of a legend: the bars are a table whose numbers have a length. */
function FirmwareBars({ firmware }: { firmware: Bucket<string | null> }) {
  const known = firmware
    .flatMap(({ _id, count }) => (_id === null ? [] : [{ version: _id, count }]))
    .toSorted((a, b) => b.count - a.count);
  const top = known.slice(0, topFirmware);
  const most = Math.max(1, ...top.map(({ count }) => count));
  return (
    <Box>
      <Typography variant="h3" id="top-firmware" sx={{ mb: 2 }}>
        {dashboardText.firmware}
      </Typography>
      <Box
        component="table"
        aria-labelledby="top-firmware"
        sx={{
          width: 1,
          maxWidth: 720,
          borderCollapse: "collapse",
          "& th": { textAlign: "left", fontWeight: 400, py: 1, pr: 4 },
        }}
      >
        <Box component="thead" sx={{ fontSize: "0.75rem", color: "text.secondary" }}>
          <tr>
            <Box component="th" scope="col" sx={{ width: 160 }}>
              {dashboardText.version}
            </Box>
            <th scope="col">{dashboardText.axis}</th>
          </tr>
        </Box>
        <tbody>
          {top.map(({ version, count }) => (
            <tr key={version}>
              <th scope="row">
                <Mono>{version}</Mono>
              </th>
              <td>
                <Box sx={{ display: "flex", alignItems: "center", gap: 2 }}>
                  <Box
                    aria-hidden
                    sx={{
                      height: 14,
                      width: `${(count / most) * 85}%`,
                      minWidth: 2,
                      borderRadius: "2px",
                      bgcolor: "primary.main",
                      forcedColorAdjust: "none",
                    }}
                  />
                  <Box component="span" sx={{ fontVariantNumeric: "tabular-nums" }}>
                    {count}
                  </Box>
                </Box>
              </td>
            </tr>
          ))}
        </tbody>
      </Box>
      <Typography sx={{ mt: 2, color: "text.secondary" }}>
        {dashboardText.unreported(countOf(firmware, null))}
      </Typography>
    </Box>
  );
}
