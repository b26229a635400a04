// A state as shape plus word, coloured: the shape tells it without colour, the word tells it without both.
import Box from "@mui/material/Box";
import { useTip } from "./Tip.tsx";

/** `good` filled circle, `bad` diamond, `warning` triangle, `off` ring, `pending` half circle, `neutral` small bar. */
export type StatusTone = "good" | "warning" | "bad" | "off" | "pending" | "neutral";

const shapes: Record<StatusTone, { path: string; color: string; hollow?: true; half?: true }> = {
  good: { path: "M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Z", color: "success.main" },
  warning: { path: "M6 1 11.4 10.6H.6Z", color: "warning.light" },
  bad: { path: "M6 .6 11.4 6 6 11.4.6 6Z", color: "error.main" },
  off: { path: "M6 2.2a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 0 1 0-7.6Z", color: "text.secondary", hollow: true },
  pending: { path: "M6 2a4 4 0 0 1 0 8Z", color: "info.main", half: true },
  neutral: { path: "M2 5h8v2H2Z", color: "text.disabled" },
};

type StatusDotProps = {
  tone: StatusTone;
  /** The word beside the shape. */
  label: string;
  /** What hovering adds, e.g. since when. */
  tooltip?: string;
  /** Only the shape is visible; the word stays for screen readers and as tooltip. */
  iconOnly?: boolean;
};

/** Props: `tone`, `label`, `tooltip?`, `iconOnly?`. */
export function StatusDot({ tone, label, tooltip, iconOnly = false }: StatusDotProps) {
  const { handlers, tip } = useTip(() => tooltip ?? (iconOnly ? label : undefined));
  const shape = shapes[tone];
  return (
    <>
      <Box
        component="span"
        {...handlers}
        sx={{ display: "inline-flex", alignItems: "center", gap: 2, maxWidth: "100%", minWidth: 0 }}
      >
        <Box
          component="svg"
          viewBox="0 0 12 12"
          {...(iconOnly ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
          sx={{
            width: 10,
            height: 10,
            flex: "none",
            color: shape.color,
            forcedColorAdjust: "auto",
            overflow: "visible",
          }}
        >
          <path
            d={shape.path}
            fill={shape.hollow === true ? "none" : "currentColor"}
            stroke={shape.hollow === true ? "currentColor" : "none"}
            strokeWidth={1.5}
            strokeLinejoin="round"
          />
          {shape.half === true ? (
            <circle cx={6} cy={6} r={4} fill="none" stroke="currentColor" strokeWidth={1.3} />
          ) : null}
        </Box>
        {iconOnly ? null : (
          <Box component="span" sx={{ overflow: "hidden", textOverflow: "ellipsis", whiteSpace: "nowrap" }}>
            {label}
          </Box>
        )}
      </Box>
      {tip}
    </>
  );
}
