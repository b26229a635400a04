// Missing prerequisites of the occupancy app, with links (OC-04).
import type { Location } from "@psp/contract/location/location.ts";
import { Alert, Link, Stack } from "@mui/material";
import { AppLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { supportAddress } from "../api/config.ts";
import { useCan } from "../api/session/useCan.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import type { Prerequisite } from "./occupancy.queries.ts";
import { occupancyText as text } from "./occupancy.text.ts";

type Props = { location: Location; missing: readonly Prerequisite[] };

export function Prerequisites({ location: { _id: id }, missing }: Props) {
  const can = useCan();
  const sales = supportAddress(null);
  const general = (label: string) => (
    <AppLink to={paths.locationGeneral(id)} color="inherit" underline="always" sx={standaloneLinkStyles}>
      {label}
    </AppLink>
  );
  return (
    <Stack sx={{ gap: 2 }}>
      {missing.includes("sensor") ? (
        <Alert severity="info">
          <div>{text.needsSensor}</div>
          {general(text.assignSensor)}
        </Alert>
      ) : null}
      {missing.includes("address") ? (
        <Alert severity="info">
          <div>{text.needsAddress}</div>
          {general(text.specifyAddress)}
        </Alert>
      ) : null}
      {missing.includes("license") ? (
        <Alert severity="info">
          <div>{text.noLicense}</div>
          <div>{text.orderLicense}</div>
          {can.license() ? (
            general(text.switchLicense)
          ) : sales === null ? null : (
            <Link
              href={sales}
              target="_blank"
              rel="noreferrer"
              color="inherit"
              underline="always"
              sx={standaloneLinkStyles}
            >
              {text.contactSales}
            </Link>
          )}
        </Alert>
      ) : null}
    </Stack>
  );
}
