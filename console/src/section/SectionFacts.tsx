// Read-only facts of a section, such as connection time and GPS status. Times are in the browser's time zone.
import type { Fact } from "@psp/contract/section/field.ts";
import { valueAt } from "@psp/contract/section/values.ts";
import { Box } from "@mui/material";
import type { ReactNode } from "react";
import { Tip } from "../ui/feedback/Tip.tsx";
import { formatExactTime } from "../ui/time/RelativeTime.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { sectionText as text } from "./section.text.ts";
import { formatMinute } from "./section.values.ts";

const Written = ({ at }: { at: number }) => (
  <Tip text={() => formatExactTime(at)}>
    <time dateTime={new Date(at).toISOString()}>{formatMinute(at)}</time>
  </Tip>
);

function wordsOf(fact: Fact, value: unknown): ReactNode {
  switch (fact.kind) {
    case "time":
      return typeof value === "number" ? <Written at={value} /> : null;
    case "number":
      return typeof value === "number" ? (fact.of?.(value) ?? String(value)) : null;
    case "text":
      return typeof value === "string" && value !== "" ? value : null;
    case "choice":
      return fact.options.find((option) => option.value === value)?.label ?? null;
  }
}

type SectionFactsProps = {
  facts: readonly Fact[];
  of: unknown;
  /** Omits unknown facts instead of showing '-'. */
  onlyKnown?: boolean;
};

export function SectionFacts({ facts, of, onlyKnown = false }: SectionFactsProps) {
  const shown = facts
    .map((fact) => ({ ...fact, words: wordsOf(fact, valueAt(of, fact.path)) }))
    .filter(({ words }) => !onlyKnown || words !== null);
  if (shown.length === 0) return null;
  return (
    <Box component="dl" sx={{ m: 0, display: "flex", flexDirection: "column", gap: 2 }}>
      {shown.map(({ path, label, words }) => (
        <Box key={path} sx={{ display: "flex", flexWrap: "wrap", columnGap: 4 }}>
          <Box component="dt" sx={{ color: "text.secondary", minWidth: "9rem" }}>
            {label}
          </Box>
          <Box component="dd" sx={{ m: 0, minWidth: 0, overflowWrap: "anywhere" }}>
            <span style={visuallyHidden}>: </span>
            {words ?? text.none}
          </Box>
        </Box>
      ))}
    </Box>
  );
}
