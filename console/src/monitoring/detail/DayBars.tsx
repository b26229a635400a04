// Bar chart of days, with the expected range and a target line. Unknown days are hatched.
import { Box } from "@mui/material";
import { hatchedBackground } from "../../ui/chart/lazyChart.tsx";
import { bandStyle, barStyle, highlightStyle, lineStyle } from "./looks.ts";

type Day = {
  key: string;
  tick: string;
  value: number | null;
  /** Text of the tooltip. */
  words: string;
  band: { low: number; high: number } | null;
  isHighlighted: boolean;
};

type DayBarsProps = {
  days: readonly Day[];
  /** The value axis reaches at least this value. */
  top?: number;
  line?: number;
};

const height = 140;
const format = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
/** More ticks don't fit into a dialog. */
const mostTicks = 8;

export function DayBars({ days, top = 1, line }: DayBarsProps) {
  const most = Math.max(top, line ?? 0, ...days.flatMap(({ value, band }) => [value ?? 0, band?.high ?? 0]));
  const percent = (value: number) => `${(value / most) * 100}%`;
  const every = Math.max(1, Math.ceil(days.length / mostTicks));
  return (
    <Box sx={{ display: "flex", gap: 2, fontSize: "0.75rem", lineHeight: "16px", color: "text.secondary" }}>
      <Box
        sx={{ display: "flex", flexDirection: "column", justifyContent: "space-between", height, textAlign: "right" }}
      >
        <span>{format.format(most)}</span>
        <span>0</span>
      </Box>
      <Box sx={{ flex: 1, minWidth: 0 }}>
        <Box sx={{ position: "relative", display: "flex", height, borderBottom: 1, borderColor: "divider" }}>
          {days.map(({ key, value, words, band, isHighlighted }) => (
            <Box
              key={key}
              title={words}
              sx={[{ position: "relative", flex: "1 1 0", minWidth: 0 }, value === null ? hatchedBackground : {}]}
            >
              {band === null ? null : (
                <Box
                  style={{ bottom: percent(band.low), height: percent(band.high - band.low) }}
                  sx={[bandStyle, { position: "absolute", left: "5%", right: "5%", minHeight: 2 }]}
                />
              )}
              {value === null ? null : (
                <Box
                  style={{ height: percent(value) }}
                  sx={[
                    isHighlighted ? highlightStyle : barStyle,
                    { position: "absolute", bottom: 0, left: "25%", right: "25%", minHeight: 2 },
                  ]}
                />
              )}
            </Box>
          ))}
          {line === undefined ? null : (
            <Box style={{ bottom: percent(line) }} sx={[lineStyle, { position: "absolute", left: 0, right: 0 }]} />
          )}
        </Box>
        <Box sx={{ display: "flex" }}>
          {days.map(({ key, tick }, index) => (
            <Box key={key} sx={{ flex: "1 1 0", minWidth: 0, textAlign: "center", whiteSpace: "nowrap" }}>
              {index % every === 0 ? tick : null}
            </Box>
          ))}
        </Box>
      </Box>
    </Box>
  );
}
