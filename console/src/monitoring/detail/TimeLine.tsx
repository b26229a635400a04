// Time axis with events, or with a span that lasts until the end of the axis.
import { Box } from "@mui/material";
import { highlightStyle } from "./looks.ts";
import { timeTicks } from "./time-ticks.ts";

type TimeLineProps = {
  from: number;
  to: number;
  timeZone: string | null;
  /** `size` is the number of simultaneous events. */
  points: readonly { at: number; size: number }[];
  span?: number;
};

/** With more points than this, events are aggregated into this number of bars. */
const mostPoints = 24;

export function TimeLine({ from, to, timeZone, points, span }: TimeLineProps) {
  const left = (at: number) => `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100))}%`;
  return (
    <Box sx={{ px: 5, fontSize: "0.75rem", lineHeight: "16px", color: "text.secondary" }}>
      <Box sx={{ position: "relative", height: 44 }}>
        <Box sx={{ position: "absolute", left: 0, right: 0, bottom: 10, borderTop: 2, borderColor: "divider" }} />
        {span === undefined ? null : (
          <Box
            style={{ left: left(span) }}
            sx={[highlightStyle, { position: "absolute", right: 0, bottom: 4, height: 14 }]}
          />
        )}
        {points.length > mostPoints ? <Bars bars={gathered(points, from, to)} /> : null}
        {(points.length > mostPoints ? [] : points).map(({ at, size }, index) => (
          <Box
            key={index}
            style={{ left: left(at) }}
            sx={{
              position: "absolute",
              bottom: 4,
              width: 14,
              ml: "-7px",
              display: "flex",
              flexDirection: "column",
              alignItems: "center",
            }}
          >
            {size > 1 ? <span>{`${size}×`}</span> : null}
            <Box
              sx={[
                highlightStyle,
                { width: 14, height: 14, borderRadius: "50%", border: 1, borderColor: "background.paper" },
              ]}
            />
          </Box>
        ))}
      </Box>
      <Box sx={{ position: "relative", height: 32 }}>
        {timeTicks(from, to, timeZone).map(({ at, time, day }) => (
          <Box
            key={at}
            style={{ left: left(at) }}
            sx={{ position: "absolute", transform: "translateX(-50%)", whiteSpace: "nowrap", textAlign: "center" }}
          >
            {time === null ? null : <div>{time}</div>}
            {day === null ? null : <div>{day}</div>}
          </Box>
        ))}
      </Box>
    </Box>
  );
}

function gathered(points: TimeLineProps["points"], from: number, to: number): number[] {
  const bars = Array.from({ length: mostPoints }, () => 0);
  for (const { at, size } of points) {
    const part = Math.min(mostPoints - 1, Math.max(0, Math.floor(((at - from) / (to - from)) * mostPoints)));
    bars[part] = (bars[part] ?? 0) + size;
  }
  return bars;
}

/** Bar heights are relative to the highest bar. */
function Bars({ bars }: { bars: readonly number[] }) {
  const highest = Math.max(1, ...bars);
  return (
    <Box
      sx={{
        position: "absolute",
        left: 0,
        right: 0,
        bottom: 10,
        height: 34,
        display: "flex",
        alignItems: "flex-end",
        gap: "2px",
      }}
    >
      {bars.map((size, index) => (
        <Box
          key={index}
          style={{ height: `${(size / highest) * 100}%` }}
          sx={[highlightStyle, { flex: "1 1 0", minWidth: 0 }]}
        />
      ))}
    </Box>
  );
}
