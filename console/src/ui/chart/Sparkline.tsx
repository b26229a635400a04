// Small line chart, hidden from screen readers, which read the number beside it.
import { useTheme } from "@mui/material/styles";

const width = 120;
const height = 24;

export function Sparkline({ values }: { values: readonly (number | null)[] }) {
  const { primary } = useTheme().vars.palette;
  const top = Math.max(1, ...values.map((value) => value ?? 0));
  const x = (index: number) => (values.length < 2 ? width / 2 : 1 + (index / (values.length - 1)) * (width - 2));
  const y = (value: number) => height - 2 - (value / top) * (height - 4);
  const known = (index: number) => (values[index] ?? null) !== null;
  const line = values
    .map((value, index) =>
      value === null ? "" : `${known(index - 1) ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}`,
    )
    .join("");
  return (
    <svg width={width} height={height} viewBox={`0 0 ${width} ${height}`} aria-hidden style={{ display: "block" }}>
      <path d={line} fill="none" stroke={primary.main} strokeWidth="1.5" strokeLinejoin="round" />
      {values.map((value, index) =>
        // Only a single value between two gaps gets a mark, because it has no visible line.
        value === null || known(index - 1) || known(index + 1) ? null : (
          <circle key={index} cx={x(index)} cy={y(value)} r="1.5" fill={primary.main} />
        ),
      )}
    </svg>
  );
}
