// Miniature preview of the display's two states with the current input.
import { occupancyDefaults } from "@psp/contract/occupancy/occupancy-defaults.ts";
import type { Location } from "@psp/contract/location/location.ts";
import { Box } from "@mui/material";
import { useDeferredValue } from "react";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { isHexColor } from "../light/light.colors.ts";
import { lightText } from "../light/light.text.ts";
import { type Appearance, TrafficLight } from "../light/TrafficLight.tsx";
import { occupancyText as text } from "../occupancy.text.ts";
import type { OccupancyFields } from "./occupancy.form.ts";

const colorOf = (typed: string, fallback: string) => (isHexColor(typed.trim()) ? typed.trim() : fallback);

/** Empty unless a display would accept the URL. */
const logoOf = (typed: string) => (/^https:\/\/[^\s"'<>\\]+$/i.test(typed.trim()) ? typed.trim() : "");

function appearanceOf(values: OccupancyFields): Appearance {
  const { opened, closed } = occupancyDefaults.frontend;
  return {
    opened: {
      title: values.openedTitle,
      subtitle: values.openedSubtitle,
      color: colorOf(values.openedColor, opened.color),
    },
    closed: {
      title: values.closedTitle,
      subtitle: values.closedSubtitle,
      color: colorOf(values.closedColor, closed.color),
    },
    logo: logoOf(values.logo),
    freeSpacesText: values.freeSpacesText,
    showNumberOfPeople: values.showNumberOfPeople,
    restrictionTitle: values.restrictionTitle,
    restrictions: values.rules,
  };
}

export function Preview({ values, location }: { values: OccupancyFields; location: Location }) {
  // Deferred, so that typing stays responsive.
  const shown = useDeferredValue(values);
  const appearance = appearanceOf(shown);
  const typed = Number(shown.maxObjects);
  const most = Number.isInteger(typed) && typed > 0 ? typed : occupancyDefaults.maxObjects;
  return (
    <SectionCard title={text.preview}>
      {(["opened", "closed"] as const).map((state) => (
        <Box
          key={state}
          role="group"
          aria-label={text.previewOf(lightText.states[state])}
          sx={{ aspectRatio: "4 / 3", width: 1, borderRadius: "8px", overflow: "hidden" }}
        >
          <TrafficLight
            appearance={appearance}
            name={location.name}
            timeZone={location.location.timezone}
            state={state}
            count={state === "closed" ? most : Math.floor(most / 2)}
            maxObjects={most}
          />
        </Box>
      ))}
      <Box sx={{ color: "text.secondary" }}>{text.previewHint}</Box>
    </SectionCard>
  );
}
