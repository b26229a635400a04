// Dashboard card with the locations whose visitors changed most today, compared with a week or a year ago.
import type { ChangedLocation, TodayCounts } from "@psp/contract/counts/counts.api.ts";
import { Box, Skeleton, ToggleButton, ToggleButtonGroup, Typography } from "@mui/material";
import { useId, useState } from "react";
import { formatSearch } from "../../address/address.ts";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { Change } from "../../ui/chart/Change.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { dashboardText } from "../dashboard.text.ts";
import { endsHeight } from "./today-cards.ts";

const { ends: text } = dashboardText;
const sides = ["week", "year"] as const;
type Side = (typeof sides)[number];
/** In the URL of the counts page. */
const comparisons = { week: "previous", year: "year" } as const;

export function BestAndWorst({ data }: { data: TodayCounts | undefined }) {
  const [side, setSide] = useState<Side>("week");
  const compared = data?.[side];
  return (
    <SectionCard
      title={text.title}
      sx={{ minHeight: compared?.best.length === 0 ? 0 : endsHeight }}
      head={
        <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2, alignItems: "center" }}>
          <Typography variant="h2" sx={{ mr: "auto" }}>
            {text.title}
          </Typography>
          <ToggleButtonGroup
            exclusive
            size="small"
            aria-label={text.compareWith}
            value={side}
            onChange={(_, next: Side | null) => {
              if (next !== null) setSide(next);
            }}
          >
            {sides.map((one) => (
              <ToggleButton key={one} value={one} sx={{ px: 3, textTransform: "none" }}>
                {text.sides[one]}
              </ToggleButton>
            ))}
          </ToggleButtonGroup>
        </Box>
      }
    >
      <Box sx={{ color: "text.secondary" }}>{text.explained}</Box>
      {compared === undefined ? (
        <Waiting />
      ) : compared.best.length === 0 ? (
        <div>
          {compared.comparable > 1 ? text.noChange : text.tooFew}{" "}
          <AppLink
            to={
              paths.compareCounts + formatSearch({ range: "yesterday", compare: comparisons[side], sortBy: "-change" })
            }
            query="none"
            sx={standaloneLinkStyles}
          >
            {text.yesterday}
          </AppLink>
        </div>
      ) : (
        <>
          <Ranked title={text.best} locations={compared.best} side={side} />
          <Ranked title={text.worst} locations={compared.worst} side={side} />
        </>
      )}
    </SectionCard>
  );
}

function Ranked({ title, locations, side }: { title: string; locations: readonly ChangedLocation[]; side: Side }) {
  const id = useId();
  return (
    <div>
      <Typography id={id} variant="h3" sx={{ mb: 1 }}>
        {title}
      </Typography>
      <Box component="ul" aria-labelledby={id} sx={{ m: 0, p: 0, listStyle: "none" }}>
        {locations.map(({ _id, name, change }) => (
          <Box component="li" key={_id} sx={{ display: "flex", alignItems: "center", gap: 3, minHeight: 32 }}>
            <AppLink
              to={paths.locationCounts(_id) + formatSearch({ compare: comparisons[side] })}
              query="none"
              title={name}
              sx={{
                ...standaloneLinkStyles,
                mr: "auto",
                minWidth: 0,
                overflow: "hidden",
                textOverflow: "ellipsis",
                whiteSpace: "nowrap",
              }}
            >
              {name}
            </AppLink>
            <Change percent={change} />
          </Box>
        ))}
      </Box>
    </div>
  );
}

const Waiting = () => (
  <div aria-hidden>
    {Array.from({ length: 8 }, (_, index) => (
      <Skeleton key={index} width={index % 4 === 0 ? "20%" : "90%"} height={32} />
    ))}
  </div>
);
