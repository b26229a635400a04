// The fleet in numbers: sensors by connection, type and license, the firmware most in use, locations by license (DB-01 to DB-04).
import { locationStats } from "@psp/contract/location/location.api.ts";
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { Box, Typography } from "@mui/material";
import { useTheme } from "@mui/material/styles";
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { loadPiece } from "../address/loadPiece.ts";
import { AppLink } from "../address/navigation.tsx";
import { call } from "../api/call.ts";
import { failureText } from "../api/useFailure.ts";
import { config } from "../config.ts";
import { useCan } from "../session/useCan.ts";
import { useSensorStats } from "../session/useMonitoringLicense.ts";
import { SetUp } from "../set-up/SetUp.tsx";
import { loneLink } from "../theme/targets.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { Doughnut } from "../ui/chart/Doughnut.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { type Bucket, countOf, locationsBy, sensorsBy } from "./counted-lists.ts";
import { dashboardText } from "./dashboard.text.ts";
import { LocationsMap } from "./LocationsMap.tsx";
import { Printed } from "./Printed.tsx";
import { TodayTiles } from "./TodayTiles.tsx";
import { Trouble, useWatches } from "./Trouble.tsx";
import { colorOf, ringColors } from "./ringColors.ts";

const topFirmware = 10;

export function DashboardPage() {
  const can = useCan();
  const watches = useWatches();
  return (
    <>
      <PageHeader title={dashboardText.title} />
      <Box data-wide="" sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
        <Printed />
        <SideBySide>
          <TodayTiles />
          <Trouble watches={watches} />
        </SideBySide>
        {/* How much trouble there is says how high its card is: what would be moved by it comes after it. */}
        <SetUp waits={watches === undefined}>
          <SideBySide>
            {can.viewType("sensor") ? <SensorNumbers /> : null}
            {can.viewType("measurement") ? <LocationNumbers /> : null}
          </SideBySide>
          {can.viewType("sensor") ? <Issues /> : null}
        </SetUp>
      </Box>
    </>
  );
}

/** The table comes in a piece of its own, after the numbers. */
const SensorsWithIssues = lazy(() =>
  loadPiece("SensorsWithIssues", () => import("../monitoring/open/SensorsWithIssues.tsx")).then((piece) => ({
    default: piece.SensorsWithIssues,
  })),
);

const Issues = () => (
  <Suspense fallback={<CardSkeleton height={240} />}>
    <SensorsWithIssues />
  </Suspense>
);

/** Two cards in a row on the largest screens; one alone takes all of it. */
function SideBySide({ children }: { children: ReactNode }) {
  return (
    <Box
      sx={{
        display: "flex",
        flexDirection: "column",
        gap: 4,
        "@media (min-width: 1800px)": { flexDirection: "row", "& > *": { flex: "1 1 0", minWidth: 0 } },
      }}
    >
      {children}
    </Box>
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

/** A ring, and beside it what uses all the width that there is; on the phone below each other. */
function BesideRing({ children }: { children: ReactNode }) {
  const gridTemplateColumns = {
    xs: "minmax(0, 1fr)",
    sm: "minmax(244px, 2fr) minmax(0, 3fr)",
    md: "minmax(300px, 1fr) minmax(0, 3fr)",
  };
  return <Box sx={{ display: "grid", gap: 6, gridTemplateColumns }}>{children}</Box>;
}

/** A count, and the list that it counts. */
type Share = readonly [label: string, count: number, color: string, list: string];

type Ring = readonly [title: string, shares: readonly Share[], explained?: string];

function Rings({ rings }: { rings: readonly Ring[] }) {
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
function CountedLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <AppLink to={to} query="none" color="inherit" underline="hover" sx={loneLink}>
      {children}
    </AppLink>
  );
}

const byConnection = (state: keyof typeof dashboardText.states, count: number, color: string): Share => [
  dashboardText.states[state],
  count,
  color,
  sensorsBy({ connected: state }),
];

function SensorNumbers() {
  const theme = useTheme();
  const { connection, type: types, license } = ringColors;
  return (
    <Numbers title={dashboardText.sensors} answer={useSensorStats()} height={360}>
      {({ totalByScomState: byState, totalByMonitoringLicense: byLicense, totalByType, totalByInfoFirmware }) => (
        <>
          <Rings
            rings={[
              [
                dashboardText.online,
                [
                  byConnection("connected", countOf(byState, "connected"), colorOf(theme, connection.connected)),
                  byConnection(
                    "notResponding",
                    countOf(byState, "notResponding"),
                    colorOf(theme, connection.notResponding),
                  ),
                  byConnection(
                    "disconnected",
                    countOf(byState, "disconnected"),
                    colorOf(theme, connection.disconnected),
                  ),
                ],
                dashboardText.onlineExplained(config.connectionTimeoutHours),
              ],
              [
                dashboardText.byType,
                sensorTypes.map((type) => [
                  type,
                  countOf(totalByType, type),
                  colorOf(theme, types[type]),
                  sensorsBy({ sensorType: type }),
                ]),
              ],
              [
                dashboardText.byLicense,
                [
                  [
                    dashboardText.monitored,
                    countOf(byLicense, true),
                    colorOf(theme, license.monitored),
                    sensorsBy({ monitored: "true" }),
                  ],
                  [
                    dashboardText.unmonitored,
                    countOf(byLicense, false),
                    colorOf(theme, license.unmonitored),
                    sensorsBy({ monitored: "false" }),
                  ],
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
          [withApp, countOf(byLicense, true), palette.primary.main, locationsBy({ occupancy: "true" })],
          [withoutApp, countOf(byLicense, false), palette.text.disabled, locationsBy({ occupancy: "false" })],
        ];
        return (
          <BesideRing>
            <Rings rings={[[byOccupancy, shares]]} />
            <LocationsMap />
          </BesideRing>
        );
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
          borderCollapse: "collapse",
          "& th": { textAlign: "left", fontWeight: 400, py: 1, pr: 4 },
          // The bar belongs to its row's link.
          "& tbody tr": { position: "relative" },
          "& a::after": { content: '""', position: "absolute", inset: 0 },
        }}
      >
        <Box component="thead" sx={{ fontSize: "0.75rem", color: "text.secondary" }}>
          <tr>
            <Box component="th" scope="col" sx={{ width: { xs: 120, md: 160 } }}>
              {dashboardText.version}
            </Box>
            <th scope="col">{dashboardText.axis}</th>
          </tr>
        </Box>
        <tbody>
          {top.map(({ version, count }) => (
            <tr key={version}>
              <th scope="row">
                <CountedLink to={sensorsBy({ infoSoftwareFirmwareVersion: version })}>
                  <Mono>{version}</Mono>
                </CountedLink>
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
