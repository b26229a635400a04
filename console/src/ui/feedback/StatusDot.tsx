// A status as a colored shape with a label. The shapes differ, so that no information depends on color alone.
import rows from "../theme/rows.module.css";
import { useHighlight } from "../SearchHighlight.tsx";
import { useTip } from "./Tip.tsx";

/** Shapes: circle (`good`), triangle (`warning`), diamond (`bad`), ring (`off`), half circle (`pending`), bar (`neutral`). */
export type StatusTone = "good" | "warning" | "bad" | "off" | "pending" | "neutral";

const shapes: Record<StatusTone, { path: string; color: string; hollow?: true; half?: true }> = {
  good: { path: "M6 1.5a4.5 4.5 0 1 1 0 9 4.5 4.5 0 0 1 0-9Z", color: "var(--mui-palette-success-main)" },
  warning: { path: "M6 1 11.4 10.6H.6Z", color: "var(--mui-palette-warning-light)" },
  bad: { path: "M6 .6 11.4 6 6 11.4.6 6Z", color: "var(--mui-palette-error-main)" },
  off: {
    path: "M6 2.2a3.8 3.8 0 1 1 0 7.6 3.8 3.8 0 0 1 0-7.6Z",
    color: "var(--mui-palette-text-secondary)",
    hollow: true,
  },
  pending: { path: "M6 2a4 4 0 0 1 0 8Z", color: "var(--mui-palette-info-main)", half: true },
  neutral: { path: "M2 5h8v2H2Z", color: "var(--mui-palette-text-disabled)" },
};

type StatusDotProps = {
  tone: StatusTone;
  label: string;
  /**
   * Shown on hover. A function is called only when the tooltip opens, because formatting the texts of a whole list is slow. Null
   * if the surrounding element has a tooltip.
   */
  tooltip?: string | (() => string) | null;
  /** Shows only the shape; the label becomes the tooltip and the text for screen readers. */
  iconOnly?: boolean;
  /** Wraps the label onto a second line if needed; by default it is truncated and shown on hover. */
  multiline?: boolean;
};

export function StatusDot({ tone, label, tooltip, iconOnly = false, multiline = false }: StatusDotProps) {
  const { handlers, tip } = useTip((element) => {
    if (tooltip === null) return undefined;
    const word = element.lastElementChild;
    const isCut = !iconOnly && word !== null && word.scrollWidth > word.clientWidth;
    const more = typeof tooltip === "function" ? tooltip() : tooltip;
    return isCut && more !== undefined ? `${label}: ${more}` : (more ?? (iconOnly || isCut ? label : undefined));
  });
  const word = useHighlight(label);
  const shape = shapes[tone];
  return (
    <>
      <span className={rows[multiline ? "multiline" : "sign"]} {...handlers}>
        <svg
          className={rows["shape"]}
          viewBox="0 0 12 12"
          style={{ color: shape.color }}
          {...(iconOnly ? { role: "img", "aria-label": label } : { "aria-hidden": true })}
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
        </svg>
        {iconOnly ? null : <span className={multiline ? undefined : rows["word"]}>{word}</span>}
      </span>
      {tip}
    </>
  );
}
