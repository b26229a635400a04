// Dashboard card with the number of problems of each kind, linked to the lists.
import { totalCounts } from "@psp/contract/counts/counts.api.ts";
import CheckCircleRounded from "~icons/ic/round-check-circle";
import { Box } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { formatSearch } from "../address/address.ts";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import { useIssueCount } from "../monitoring/issue-count.ts";
import { useCan } from "../api/session/useCan.ts";
import { useSensorStats } from "../api/session/useHasMonitoringLicense.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { CardSkeleton } from "../ui/feedback/Skeletons.tsx";
import { countOf, sensorListUrl } from "./counted-lists.ts";
import { dashboardText } from "./dashboard.text.ts";
import { Tile, Tiles } from "./Tile.tsx";

const { trouble: text } = dashboardText;

type Item = { label: string; tone: StatusTone; count: number; to: string };
/** Related numbers, and the text that replaces them if all are zero. */
type Watch = { calm: string; items: readonly Item[] };

export function useProblems(): readonly Watch[] | undefined {
  const { viewType } = useCan();
  const sensors = useSensorProblems();
  const gaps = useGaps(viewType("measurement"));
  const issues = useIssueProblems(viewType("sensor"));
  return sensors === undefined || gaps === undefined || issues === undefined
    ? undefined
    : [...issues, ...sensors, ...gaps];
}

export function ProblemsCard({ watches }: { watches: readonly Watch[] | undefined }) {
  if (watches === undefined) return <CardSkeleton height={148} />;
  const wrong = watches.flatMap(({ items }) => items.filter(({ count }) => count > 0));
  const calm = watches.flatMap((one) => (one.items.every(({ count }) => count === 0) ? [one.calm] : []));
  return (
    <SectionCard title={text.title}>
      {wrong.length === 0 ? null : (
        <Tiles atLeast={200}>
          {wrong.map(({ label, tone, count, to }) => (
            <Tile key={label} label={<StatusDot multiline tone={tone} label={label} />} value={count} to={to} />
          ))}
        </Tiles>
      )}
      {calm.length === 0 ? null : (
        <Box sx={{ display: "flex", flexWrap: "wrap", columnGap: 5, rowGap: 2 }}>
          {calm.map((sentence) => (
            <Box key={sentence} sx={{ display: "flex", alignItems: "center", gap: 2 }}>
              <CheckCircleRounded aria-hidden color="success" sx={{ fontSize: 18 }} />
              {sentence}
            </Box>
          ))}
        </Box>
      )}
    </SectionCard>
  );
}

/** Undefined while loading. Empty after an error, which the sensor card shows. */
function useSensorProblems(): Watch[] | undefined {
  const { viewType } = useCan();
  const { data, isError } = useSensorStats();
  if (!viewType("sensor") || isError) return [];
  if (data === undefined) return undefined;
  const { totalByLastContact: byContact, totalByScomState: byState, totalByInstallation: byInstallation } = data;
  return [
    {
      calm: text.inContact,
      items: [
        {
          label: text.offline,
          tone: "bad",
          count: countOf(byContact, "24h"),
          to: sensorListUrl({ lastContact: "24h" }),
        },
        {
          label: text.never,
          tone: "warning",
          count: countOf(byContact, "never"),
          to: sensorListUrl({ lastContact: "never" }),
        },
        {
          label: text.notResponding,
          tone: "warning",
          count: countOf(byState, "notResponding"),
          to: sensorListUrl({ connected: "notResponding" }),
        },
      ],
    },
    {
      calm: text.installed,
      items: [
        {
          label: text.failed,
          tone: "bad",
          count: countOf(byInstallation, "failed"),
          to: sensorListUrl({ installation: "failed" }),
        },
      ],
    },
  ];
}

/** The worse first. */
const severities = [
  ["Error", "bad"],
  ["Warning", "warning"],
] as const;

/** Undefined while loading. Empty after an error, which the table of issues shows. */
function useIssueProblems(enabled: boolean): Watch[] | undefined {
  const { data, isError } = useIssueCount(enabled);
  if (!enabled || isError) return [];
  if (data === undefined) return undefined;
  const items = severities.map(([issueStatus, tone]) => ({
    label: text.issues[issueStatus],
    tone,
    count: issueStatus === "Error" ? data.errors : data.warnings,
    to: paths.issues + formatSearch({ issueStatus }),
  }));
  return [{ calm: text.noIssues, items }];
}

/** Today is incomplete by definition. */
const range = "yesterday";

function useGaps(enabled: boolean): Watch[] | undefined {
  const { data, isError } = useQuery({
    queryKey: ["measurement", "gaps", range],
    queryFn: ({ signal }) => call(totalCounts, { query: { range }, signal }),
    staleTime: 10 * 60_000,
    enabled,
  });
  if (!enabled || isError) return [];
  if (data === undefined) return undefined;
  // Completeness is null if there are no sensors.
  if (data.completeness === null) return [];
  const to = paths.compareCounts + formatSearch({ range, sortBy: "completeness" });
  return [{ calm: text.complete, items: [{ label: text.gaps, tone: "warning", count: data.incomplete, to }] }];
}
