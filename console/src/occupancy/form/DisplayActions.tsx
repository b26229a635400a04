// Links from the form to live preview, display links and ledger. Disabled links show a reason.
import type { Location } from "@psp/contract/location/location.ts";
import type { OccupancyApp } from "@psp/contract/occupancy/occupancy-app.ts";
import { Box, Button } from "@mui/material";
import { useLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { displayDisabledReason } from "../occupancy.queries.ts";
import { occupancyText as text } from "../occupancy.text.ts";

type Props = { location: Location; app: OccupancyApp | null; isDirty: boolean };

export function DisplayActions({ location, app, isDirty }: Props) {
  const { _id: id } = location;
  const reason = displayDisabledReason(location, app) ?? (isDirty ? text.mustSave : undefined);
  const entry = (label: string, link: object, why = reason) => (
    <Disabled reason={why}>
      <Button
        variant="outlined"
        color="inherit"
        {...link}
        {...(why === undefined ? {} : { tabIndex: 0, role: "link" })}
      >
        {label}
      </Button>
    </Disabled>
  );
  const live = useLink(paths.occupancyLive(id));
  const link = useLink(paths.occupancyLink(id));
  const ledger = useLink(paths.occupancyLedger(id));
  return (
    <SectionCard title={text.actions}>
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 2 }}>
        {entry(text.live, live)}
        {entry(text.link, link)}
        {app === null ? null : (
          <Button variant="outlined" color="inherit" {...ledger}>
            {text.ledger}
          </Button>
        )}
      </Box>
    </SectionCard>
  );
}
