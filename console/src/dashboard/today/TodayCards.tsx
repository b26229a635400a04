// Dashboard cards that compare today with earlier days: visitors by hour, and the locations that changed most
// (docs/rules/monitoring.md#dashboard).
import { Box } from "@mui/material";
import { BestAndWorst } from "./BestAndWorst.tsx";
import { todayCardStyles } from "./today-cards.ts";
import { useLocationStats, useToday } from "./today.queries.ts";
import { VisitorsToday } from "./VisitorsToday.tsx";

export function TodayCards() {
  const answer = useToday();
  const stats = useLocationStats();
  // The number of locations is known much earlier than the counts. A single location is not ranked.
  const locations =
    answer.data?.locations ?? stats.data?.totalByOccupancyLicense.reduce((sum, { count }) => sum + count, 0);
  const isRanked = !answer.isError && (locations === undefined || locations > 1);
  return (
    <Box sx={todayCardStyles(isRanked)}>
      <VisitorsToday answer={answer} />
      {isRanked ? <BestAndWorst data={answer.data} /> : null}
    </Box>
  );
}
