// Occupancy of a ZOD's coach. The pages for plan, cameras, levels and sections share one poll.
import { previewsOf } from "@psp/contract/section/sections.ts";
import type { OccupancyPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box } from "@mui/material";
import { Outlet } from "@tanstack/react-router";
import { createContext, type ReactNode, useContext } from "react";
import { buildHref } from "../../address/address.ts";
import { Redirect, useLink, usePath, useSearchParams } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { NavEntry } from "../../ui/NavEntry.ts";
import { CoachPlan } from "./CoachPlan.tsx";
import { FillMeter } from "./FillMeter.tsx";
import { toCoachOccupancy, toLevelOccupancies, formatOccupancy } from "./occupancy.ts";
import { CameraTable, LevelTable, SectionTable } from "./OccupancyTables.tsx";
import { PreviewCard } from "../PreviewCard.tsx";
import { previewText as text } from "../preview.text.ts";
import { type Preview, usePreview } from "../usePreview.ts";

const tab = "preview-occupancy";
const pagesOf = ({ type }: Sensor) => previewsOf[type].find(({ segment }) => segment === tab)?.pages ?? [];
const pathOf = ({ type, _id: id }: Sensor, page: string) => paths.sensorTab(type, id, `${tab}/${page}`);

type Shown = { sensor: Sensor; preview: Preview<OccupancyPreview> };
const Present = createContext<Shown | null>(null);

export function Occupancy({ sensor }: { sensor: Sensor }) {
  const preview = usePreview(sensor, "occupancy");
  return (
    <Present value={{ sensor, preview }}>
      <Pages sensor={sensor} />
      <Outlet />
    </Present>
  );
}

function Pages({ sensor }: { sensor: Sensor }) {
  const current = usePath();
  return (
    <Box component="nav" aria-label="Preview occupancy" sx={{ display: "flex", flexWrap: "wrap", gap: 1, mb: 3 }}>
      {pagesOf(sensor).map(({ segment, label }) => {
        const path = pathOf(sensor, segment);
        return <Page key={segment} label={label} path={path} isCurrent={path === decodeURIComponent(current)} />;
      })}
    </Box>
  );
}

function Page({ label, path, isCurrent }: { label: string; path: string; isCurrent: boolean }) {
  const link = useLink(path);
  return (
    <NavEntry {...link} {...(isCurrent && { "aria-current": "page" as const })}>
      {label}
    </NavEntry>
  );
}

/** An unknown or missing page redirects to the first. */
export function OccupancyPage({ page }: { page: string }) {
  const shown = useContext(Present);
  const search = useSearchParams();
  if (shown === null) return null;
  const { sensor, preview } = shown;
  const pages = pagesOf(sensor);
  const content = Object.hasOwn(contents, page) ? contents[page] : undefined;
  const { label } = pages.find(({ segment }) => segment === page) ?? {};
  if (content === undefined || label === undefined)
    return <Redirect to={buildHref(pathOf(sensor, pages[0]?.segment ?? ""), search, "keep")} />;
  return (
    <PreviewCard sensor={sensor} title={label} preview={preview} height={240}>
      {content}
    </PreviewCard>
  );
}

const contents: Readonly<Record<string, (answer: OccupancyPreview) => ReactNode>> = {
  coach: (answer) => <Coach answer={answer} />,
  cameras: ({ cameras }) => <CameraTable cameras={cameras} />,
  levels: (answer) => <LevelTable answer={answer} />,
  sections: (answer) => <SectionTable answer={answer} />,
};

function Coach({ answer }: { answer: OccupancyPreview }) {
  const coach = toCoachOccupancy(answer);
  return (
    <>
      <Box sx={{ display: "flex", alignItems: "center", gap: 4, flexWrap: "wrap" }}>
        <Box sx={{ fontSize: "1.375rem", lineHeight: "28px", fontWeight: 600, fontVariantNumeric: "tabular-nums" }}>
          {formatOccupancy(coach)}
        </Box>
        <Box sx={{ flex: "1 1 12rem" }}>
          <FillMeter label={text.coach} filled={coach} />
        </Box>
      </Box>
      <CoachPlan levels={toLevelOccupancies(answer)} />
    </>
  );
}
