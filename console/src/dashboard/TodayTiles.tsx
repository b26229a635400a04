// Dashboard card with today's key numbers, each linked to its list (DB-01).
import { totalCounts } from "@psp/contract/counts/counts.api.ts";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../address/paths.ts";
import { call } from "../api/call.ts";
import type { CountsKey } from "../api/counts-key.ts";
import { useWatchedCounts } from "../api/watch.ts";
import { useCan } from "../api/session/useCan.ts";
import { useSensorStats } from "../api/session/useHasMonitoringLicense.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { countOf, sensorListUrl } from "./counted-lists.ts";
import { dashboardText } from "./dashboard.text.ts";
import { Tile, Tiles } from "./Tile.tsx";

const { today, tiles } = dashboardText;

export function TodayTiles() {
  const can = useCan();
  return (
    <SectionCard title={today}>
      <Tiles>
        {can.viewType("measurement") ? <PeopleTile /> : null}
        {can.viewType("sensor") ? <SensorTiles /> : null}
      </Tiles>
    </SectionCard>
  );
}

const everything = { any: true };

/** People in all visible locations. Refetched when counts arrive. */
function PeopleTile() {
  useWatchedCounts(everything);
  const { data, isError } = useQuery({
    queryKey: ["datapoint", "total", "any", "today"] satisfies CountsKey,
    queryFn: ({ signal }) => call(totalCounts, { query: { range: "today" }, signal }),
  });
  return <Tile label={tiles.people} value={isError ? null : data?.in} to={paths.locations} />;
}

function SensorTiles() {
  const { data, isError } = useSensorStats();
  const of = <T,>(buckets: readonly { _id: T; count: number }[] | undefined, id: T) =>
    isError ? null : buckets && countOf(buckets, id);
  const installing = (word: "installing" | "failed") => ({
    value: of(data?.totalByInstallation, word),
    to: sensorListUrl({ installation: word }),
  });
  return (
    <>
      <Tile
        label={tiles.offline}
        value={of(data?.totalByScomState, "disconnected")}
        to={sensorListUrl({ connected: "disconnected" })}
      />
      <Tile label={tiles.installing} {...installing("installing")} />
      <Tile label={tiles.failed} {...installing("failed")} />
    </>
  );
}
