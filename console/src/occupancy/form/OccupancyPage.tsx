// Page of the occupancy app with its dialogs. Shows the form, or the missing prerequisites.
import { Outlet } from "@tanstack/react-router";
import { Box, Typography } from "@mui/material";
import type { Location } from "@psp/contract/location/location.ts";
import { useParam } from "../../address/navigation.tsx";
import { CardSkeleton } from "../../ui/feedback/Skeletons.tsx";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { appLocationQueries, usePrerequisites, useStoredApp } from "../occupancy.queries.ts";
import { occupancyText as text } from "../occupancy.text.ts";
import { Prerequisites } from "../Prerequisites.tsx";
import { OccupancyForm } from "./OccupancyForm.tsx";

export function OccupancyPage() {
  const { data: location, isPlaceholderData } = appLocationQueries.useOne(useParam("id"));
  if (location === undefined) return null;
  return (
    <>
      <Content key={location._id} location={location} complete={!isPlaceholderData} />
      <Outlet />
    </>
  );
}

function Content({ location, complete }: { location: Location; complete: boolean }) {
  const app = useStoredApp(location);
  const missing = usePrerequisites(location);
  if (missing === undefined) return <CardSkeleton lines={8} />;
  // The form of an enabled app must stay accessible, so that the app can be disabled.
  if (missing.length === 0 || app?.enabled === true)
    return <OccupancyForm location={location} complete={complete} missing={missing} />;
  return (
    <Box sx={{ maxWidth: 640 }}>
      <SectionCard title={text.occupancy}>
        <div>{text.about}</div>
        <Typography variant="h3">{text.prerequisites}</Typography>
        <Prerequisites location={location} missing={missing} />
      </SectionCard>
    </Box>
  );
}
