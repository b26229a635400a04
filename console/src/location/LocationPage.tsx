// The frame of a location's pages: its name and local time at the top, the menu at the left (spec 3 §2).
import Box from "@mui/material/Box";
import Typography from "@mui/material/Typography";
import { Outlet } from "@tanstack/react-router";
import { failureText } from "../api/useFailure.ts";
import { CallError } from "../api/call.ts";
import { addressOf } from "../address/address.ts";
import { AppLink, Redirect, useLink, useSearchParams, useTitle, useParam } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { EmptyState } from "../ui/feedback/EmptyState.tsx";
import { PageHeader } from "../ui/PageHeader.tsx";
import { SideEntry, SideMenu } from "../ui/SideMenu.tsx";
import { PageSkeleton } from "../ui/feedback/Skeletons.tsx";
import { ZoneClock } from "../ui/ZoneClock.tsx";
import { location as entity } from "./location.entity.ts";
import { locationText } from "./location.text.ts";

function useLocationId(): string {
  const id = useParam("id");
  return id;
}

/** `/location/:id` leads to General. */
export function ToLocationGeneral() {
  const id = useLocationId();
  const search = useSearchParams();
  return <Redirect to={addressOf(paths.locationGeneral(id), search, "keep")} />;
}

export function LocationPage() {
  const id = useLocationId();
  const { data: location, error } = entity.useOne(id);
  const general = useLink(paths.locationGeneral(id));
  useTitle(location?.name ?? locationText.title);
  if (location === undefined) return error === null ? <PageSkeleton /> : <Missing error={error} />;
  return (
    <>
      <Box component="header" sx={{ mb: 6, display: "flex", flexDirection: "column", gap: 2 }}>
        <AppLink to={paths.locations} sx={{ alignSelf: "flex-start", color: "text.secondary" }}>
          {locationText.title}
        </AppLink>
        <Box sx={{ display: "flex", flexWrap: "wrap", alignItems: "baseline", columnGap: 6, rowGap: 2 }}>
          <Typography variant="h1" tabIndex={-1} sx={{ overflowWrap: "anywhere" }}>
            {location.name}
          </Typography>
          <Box component="dl" sx={{ m: 0, display: "flex", gap: 2 }}>
            <Box component="dt" sx={{ color: "text.secondary" }}>
              {locationText.localTime}
            </Box>
            <Box component="dd" sx={{ m: 0 }}>
              <ZoneClock timeZone={location.location.timezone} />
            </Box>
          </Box>
        </Box>
      </Box>
      <Box
        sx={{ display: "flex", flexDirection: { xs: "column", md: "row" }, gap: 6, alignItems: "flex-start", flex: 1 }}
      >
        <SideMenu
          label={location.name}
          groups={[
            {
              title: locationText.configuration,
              entries: [
                {
                  key: "general",
                  content: (
                    <SideEntry {...general} aria-current="page">
                      {locationText.general}
                    </SideEntry>
                  ),
                },
              ],
            },
          ]}
        />
        <Box sx={{ flex: 1, minWidth: 0, width: 1 }}>
          <Outlet />
        </Box>
      </Box>
    </>
  );
}

function Missing({ error }: { error: Error }) {
  const list = useLink(paths.locations);
  // An id that is no id at all is refused as a bad argument; for a person it is the same.
  const missing = error instanceof CallError && (error.status === 404 || error.status === 400);
  return (
    <>
      <PageHeader title={missing ? locationText.notFound : locationText.oneFailed} />
      <EmptyState
        kind={missing ? "notFound" : "error"}
        title={missing ? locationText.notFoundText : locationText.oneFailed}
        {...(missing ? {} : { text: failureText(error) })}
        action={{ label: locationText.toList, href: list.href }}
      />
    </>
  );
}
