// Dashboard with figures about sensors and locations (DB-01 to DB-04).
import { sensorTypes } from "@psp/contract/device/sensor-type.ts";
import { Box } from "@mui/material";
import { useTheme } from "@mui/material/styles";
import type { UseQueryResult } from "@tanstack/react-query";
import { lazy, type ReactNode, Suspense } from "react";
import { loadChunk } from "../address/loadChunk.ts";
import { failureText } from "../api/useFailure.ts";
import { config } from "../api/config.ts";
import { useCan } from "../api/session/useCan.ts";
import { useSensorStats } from "../api/session/useHasMonitoringLicense.ts";
import { SetUp } from "../set-up/SetUp.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { VehiclesLink } from "../vehicle/VehiclesLink.tsx";
import { countOf, locationListUrl, sensorListUrl } from "./counted-lists.ts";
import { dashboardText } from "./dashboard.text.ts";
import { FirmwareBars } from "./FirmwareBars.tsx";
import { LocationsMap } from "./LocationsMap.tsx";
import { PrintHeader } from "./PrintHeader.tsx";
import { Rings, type RingSegment } from "./Rings.tsx";
import { endsHeight, todayCardStyles, visitorsHeight } from "./today/today-cards.ts";
import { useLocationStats } from "./today/today.queries.ts";
import { TodayTiles } from "./TodayTiles.tsx";
import { ProblemsCard, useProblems } from "./ProblemsCard.tsx";
import { colorOf, ringColors } from "./ringColors.ts";

export function DashboardPage() {
  const can = useCan();
  const watches = useProblems();
  return (
    <>
      <PageHeader title={dashboardText.title} action={can.viewType("sensor") ? <VehiclesLink /> : undefined} />
      <Box data-wide="" sx={{ display: "flex", flexDirection: "column", gap: 4 }}>
        <PrintHeader />
        {can.viewType("measurement") ? <Today /> : null}
        <SideBySide>
          <TodayTiles />
          <ProblemsCard watches={watches} />
        </SideBySide>
        {/* The set-up card waits for the card above it, to avoid layout shift. */}
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

/** Lazy, so that the numbers load first. */
const SensorsWithIssues = lazy(() =>
  loadChunk("SensorsWithIssues", () => import("../monitoring/open/SensorsWithIssues.tsx")).then((chunk) => ({
    default: chunk.SensorsWithIssues,
  })),
);

const Issues = () => (
  <Suspense fallback={<CardSkeleton height={240} />}>
    <SensorsWithIssues />
  </Suspense>
);

/** Lazy, because the charts would delay the other numbers. */
const TodayCards = lazy(() =>
  loadChunk("TodayCards", () => import("./today/TodayCards.tsx")).then((chunk) => ({ default: chunk.TodayCards })),
);

const Today = () => (
  <Suspense
    fallback={
      <Box sx={todayCardStyles(true)}>
        <CardSkeleton height={visitorsHeight} />
        <CardSkeleton height={endsHeight} />
      </Box>
    }
  >
    <TodayCards />
  </Suspense>
);

/** Two cards per row on wide screens. A single card takes the full width. */
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

function BesideRing({ children }: { children: ReactNode }) {
  const gridTemplateColumns = {
    xs: "minmax(0, 1fr)",
    sm: "minmax(244px, 2fr) minmax(0, 3fr)",
    md: "minmax(300px, 1fr) minmax(0, 3fr)",
  };
  return <Box sx={{ display: "grid", gap: 6, gridTemplateColumns }}>{children}</Box>;
}

const byConnection = (state: keyof typeof dashboardText.states, count: number, color: string): RingSegment => [
  dashboardText.states[state],
  count,
  color,
  sensorListUrl({ connected: state }),
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
                  sensorListUrl({ sensorType: type }),
                ]),
              ],
              [
                dashboardText.byLicense,
                [
                  [
                    dashboardText.monitored,
                    countOf(byLicense, true),
                    colorOf(theme, license.monitored),
                    sensorListUrl({ monitored: "true" }),
                  ],
                  [
                    dashboardText.unmonitored,
                    countOf(byLicense, false),
                    colorOf(theme, license.unmonitored),
                    sensorListUrl({ monitored: "false" }),
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
  const answer = useLocationStats();
  const { byOccupancy, withApp, withoutApp } = dashboardText;
  return (
    <Numbers title={dashboardText.locations} answer={answer} height={220}>
      {({ totalByOccupancyLicense: byLicense }) => {
        const shares: RingSegment[] = [
          [withApp, countOf(byLicense, true), palette.primary.main, locationListUrl({ occupancy: "true" })],
          [withoutApp, countOf(byLicense, false), palette.text.disabled, locationListUrl({ occupancy: "false" })],
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
