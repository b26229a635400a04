// Card for a live view. Shows the time of the data, errors, and whether the view is outdated or paused.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Alert, Box, Button, Skeleton, Typography } from "@mui/material";
import { type ReactNode, useRef } from "react";
import { StatusDot } from "../ui/feedback/StatusDot.tsx";
import { SectionCard } from "../ui/SectionCard.tsx";
import { visuallyHidden } from "../ui/visuallyHidden.ts";
import { configurationPageText } from "../remote-access/configuration-page.text.ts";
import { useReachability } from "../sensor/useReachability.ts";
import { isReachable } from "./preview.queries.ts";
import { previewText as text } from "./preview.text.ts";
import { TakenAt } from "./TakenAt.tsx";
import type { Preview } from "./usePreview.ts";

type PreviewCardProps<T> = {
  sensor: Sensor;
  title: string;
  preview: Preview<T>;
  height: number;
  children: (answer: T) => ReactNode;
};

export function PreviewCard<T extends { at: number }>(props: PreviewCardProps<T>) {
  const { sensor, title, preview, height, children } = props;
  const { answer, isOld, problem, isPaused, resume } = preview;
  const heading = useRef<HTMLHeadingElement>(null);
  const head = (
    <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", columnGap: 4, rowGap: 1 }}>
      <Typography variant="h2" ref={heading} tabIndex={-1} sx={{ flex: 1, "&:focus": { outline: "none" } }}>
        {title}
      </Typography>
      {isOld ? <StatusDot tone="warning" label={text.old} /> : null}
      {answer === null ? null : <TakenAt at={answer.at} />}
    </Box>
  );
  if (!isReachable(sensor))
    return (
      <SectionCard title={title} head={head}>
        <Unreachable sensor={sensor} />
      </SectionCard>
    );
  return (
    <SectionCard title={title} head={head}>
      {isPaused ? (
        <Alert
          severity="info"
          role="status"
          action={
            <Button
              size="small"
              color="inherit"
              onClick={() => {
                // The button disappears, so the heading gets the focus.
                heading.current?.focus();
                resume();
              }}
            >
              {text.resume}
            </Button>
          }
        >
          {text.paused}
        </Alert>
      ) : null}
      {problem === null ? null : <Alert severity="warning">{problem}</Alert>}
      {answer !== null ? (
        <Box data-old={isOld ? "" : undefined} sx={content}>
          {children(answer)}
        </Box>
      ) : problem === null ? (
        <Awaited height={height} />
      ) : null}
    </SectionCard>
  );
}

/** Outdated content is grayed out, but text on colored areas stays readable. */
const content = {
  display: "flex",
  flexDirection: "column",
  gap: 3,
  "&[data-old]": {
    filter: "grayscale(1)",
    color: "text.secondary",
    // Overrides the color that table cells set.
    "& td, & th": { color: "inherit" },
  },
} as const;

function Unreachable({ sensor: { psconnect, scomState } }: { sensor: Sensor }) {
  const reach = useReachability(scomState);
  if (psconnect === null) return <Alert severity="info">{configurationPageText.missing}</Alert>;
  return (
    <Alert severity="info" role="status">
      <div>{text.offline}</div>
      {/* Shown in addition, because the page header says "connected". */}
      {reach !== "disconnected" ? <div>{configurationPageText.disconnected}</div> : null}
    </Alert>
  );
}

function Awaited({ height }: { height: number }) {
  return (
    <div role="status" aria-busy>
      <span style={visuallyHidden}>{text.waiting}</span>
      <Skeleton variant="rounded" height={height} />
    </div>
  );
}
