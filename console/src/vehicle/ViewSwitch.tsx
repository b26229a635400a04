// Links between the list of sensors and the list of vehicles. Shown only to users who can see a vehicle.
import { Link } from "@mui/material";
import { styled } from "@mui/material/styles";
import { useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useVehicleTotal } from "./vehicle.queries.ts";
import { vehicleText as text } from "./vehicle.text.ts";
import { vehiclesPath } from "./vehicles-path.ts";

const Group = styled("nav")(({ theme }) => ({
  display: "inline-flex",
  flex: "none",
  whiteSpace: "nowrap",
  border: `1px solid ${theme.vars.palette.divider}`,
  borderRadius: 6,
  overflow: "hidden",
  "& > a": {
    display: "inline-flex",
    alignItems: "center",
    minHeight: 32,
    padding: "0 12px",
    color: theme.vars.palette.text.primary,
    textDecoration: "none",
    "&:hover": { backgroundColor: theme.vars.palette.action.hover },
    "&[aria-current]": { backgroundColor: theme.vars.palette.action.selected, fontWeight: 600 },
    "&:focus-visible": { outlineOffset: -2 },
    "@media (pointer: coarse)": { minHeight: 44 },
  },
}));

export function ViewSwitch({ view }: { view: "sensors" | "vehicles" }) {
  const total = useVehicleTotal();
  const sensors = useLink(paths.sensors, "none");
  const vehicles = useLink(vehiclesPath, "none");
  if (view === "sensors" && (total ?? 0) === 0) return null;
  return (
    <Group aria-label={text.view}>
      <Link {...sensors} aria-current={view === "sensors" ? "page" : undefined}>
        {text.sensorsView}
      </Link>
      <Link {...vehicles} aria-current={view === "vehicles" ? "page" : undefined}>
        {text.vehiclesView}
      </Link>
    </Group>
  );
}
