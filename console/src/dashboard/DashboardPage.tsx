// The fleet in numbers: sensors by connection, type and licence, the firmware most in use, locations by licence (spec 2 §2).
import { sensorTypes } from "@psp/contract/sensor/sensor-type.ts";
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { useTheme } from "@mui/material/styles";
import { failureText } from "../api/useFailure.ts";
import { useCan } from "../session/useCan.ts";
import { useSensorStats } from "../session/useMonitoringLicense.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { Doughnut } from "../ui/chart/Doughnut.tsx";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { Mono } from "../ui/Mono.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { useLocationStats } from "./dashboard.queries.ts";
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

const grid = {
  display: "grid",
  gap: 6,
  gridTemplateColumns: "repeat(auto-fit, minmax(min(280px, 100%), 1fr))",
} as const;

function SensorNumbers() {
  const { palette } = useTheme().vars;
  const { data, error } = useSensorStats();
  if (data === undefined) {
    return error === null ? (
      <CardSkeleton height={360} />
    ) : (
      <EmptyState kind="error" title={dashboardText.loadFailed} text={failureText(error)} />
    );
  }
  const states = data.totalByScomState;
  const colors = { APS: palette.primary.main, "PS.C1": palette.info.light, ZOD: palette.secondary.light };
  return (
    <SectionCard gap={5} title={dashboardText.sensors}>
      <Box sx={grid}>
        <Doughnut
          title={dashboardText.online}
          totalLabel={dashboardText.total}
          parts={[
            { label: dashboardText.states.connected, count: countOf(states, "connected"), color: palette.success.main },
            {
              label: dashboardText.states.notResponding,
              count: countOf(states, "notResponding"),
              color: palette.warning.light,
            },
            {
              label: dashboardText.states.disconnected,
              count: countOf(states, "disconnected"),
              color: palette.text.disabled,
            },
          ]}
        />
        <Doughnut
          title={dashboardText.byType}
          totalLabel={dashboardText.total}
          parts={sensorTypes.map((type) => ({
            label: type,
            count: countOf(data.totalByType, type),
            color: colors[type],
          }))}
        />
        <Doughnut
          title={dashboardText.byLicense}
          totalLabel={dashboardText.total}
          parts={[
            {
              label: dashboardText.monitored,
              count: countOf(data.totalByMonitoringLicense, true),
              color: palette.primary.main,
            },
            {
              label: dashboardText.unmonitored,
              count: countOf(data.totalByMonitoringLicense, false),
              color: palette.text.disabled,
            },
          ]}
        />
      </Box>
      <FirmwareBars firmware={data.totalByInfoFirmware} />
    </SectionCard>
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

function LocationNumbers() {
  const { palette } = useTheme().vars;
  const { data, error } = useLocationStats(true);
  if (data === undefined) {
    return error === null ? (
      <CardSkeleton height={220} />
    ) : (
      <EmptyState kind="error" title={dashboardText.loadFailed} text={failureText(error)} />
    );
  }
  return (
    <SectionCard gap={5} title={dashboardText.locations}>
      <Box sx={grid}>
        <Doughnut
          title={dashboardText.byOccupancy}
          totalLabel={dashboardText.total}
          parts={[
            {
              label: dashboardText.withApp,
              count: countOf(data.totalByOccupancyLicense, true),
              color: palette.primary.main,
            },
            {
              label: dashboardText.withoutApp,
              count: countOf(data.totalByOccupancyLicense, false),
              color: palette.text.disabled,
            },
          ]}
        />
      </Box>
    </SectionCard>
  );
}
