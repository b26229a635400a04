// All fields of the occupancy app's form (OC-01).
import { occupancyLimits as limits } from "@psp/contract/occupancy/occupancy-defaults.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, FormHelperText } from "@mui/material";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { occupancyText as text } from "../occupancy.text.ts";
import { AppTextField } from "./AppTextField.tsx";
import { ColorField } from "./ColorField.tsx";
import { CountingSensors } from "./CountingSensors.tsx";
import { elementId, type FormProps } from "./fields.ts";
import { ResetTime } from "./ResetTime.tsx";
import { RuleList } from "./RuleList.tsx";
import { SwitchField } from "../../entity/page/SwitchField.tsx";

type Props = FormProps & {
  /** Why the app can't be enabled; disabling is always possible. */
  cantEnable: string | undefined;
  zone: string;
  sensors: readonly Sensor[] | undefined;
};

export function OccupancyFields({ cantEnable, zone, sensors, ...form }: Props) {
  const { values, set, readOnly } = form;
  const off = readOnly ? text.readOnly : values.enabled ? undefined : cantEnable;
  return (
    <>
      <SectionCard title={text.general} gap={4}>
        <SwitchField
          id={elementId("enabled")}
          label={text.enabled}
          reason={off}
          checked={values.enabled}
          onChange={(enabled) => set("enabled", enabled)}
          sx={{ alignSelf: "flex-start" }}
        />
        <AppTextField
          {...form}
          fieldId="maxObjects"
          label={text.maxObjects}
          value={values.maxObjects}
          onChange={(value) => set("maxObjects", value)}
          inputMode="numeric"
          required={values.enabled}
        />
        <ResetTime {...form} zone={zone} />
        <CountingSensors {...form} sensors={sensors} />
      </SectionCard>
      <StateFields {...form} state="opened" />
      <StateFields {...form} state="closed" />
      <SectionCard title={text.more} gap={4}>
        <AppTextField
          {...form}
          fieldId="freeSpacesText"
          label={text.freeSpacesText}
          value={values.freeSpacesText}
          onChange={(value) => set("freeSpacesText", value)}
          most={limits.freeSpacesText}
          hint={text.freeSpacesHint}
        />
        <Box>
          <SwitchField
            label={text.showNumberOfPeople}
            reason={readOnly ? text.readOnly : undefined}
            checked={values.showNumberOfPeople}
            onChange={(on) => set("showNumberOfPeople", on)}
            describedBy={elementId("number-hint")}
          />
          <FormHelperText id={elementId("number-hint")}>{text.showNumberHint}</FormHelperText>
        </Box>
        <AppTextField
          {...form}
          fieldId="logo"
          label={text.logo}
          value={values.logo}
          onChange={(value) => set("logo", value)}
          type="url"
          hint={text.logoHint}
        />
      </SectionCard>
      <RuleList {...form} />
    </>
  );
}

const partsOf = {
  opened: ["openedTitle", "openedSubtitle", "openedColor"],
  closed: ["closedTitle", "closedSubtitle", "closedColor"],
} as const;

function StateFields({ state, ...form }: FormProps & { state: "opened" | "closed" }) {
  const { values, set } = form;
  const [title, subtitle, color] = partsOf[state];
  return (
    <SectionCard title={text[state]} gap={4}>
      <AppTextField
        {...form}
        fieldId={title}
        label={text.title}
        value={values[title]}
        onChange={(value) => set(title, value)}
        most={limits.title}
      />
      <AppTextField
        {...form}
        fieldId={subtitle}
        label={text.subtitle}
        value={values[subtitle]}
        onChange={(value) => set(subtitle, value)}
        most={limits.subtitle}
      />
      <ColorField
        {...form}
        fieldId={color}
        label={text.color}
        pickLabel={text.pickColor(text[state])}
        value={values[color]}
        onChange={(value) => set(color, value)}
      />
    </SectionCard>
  );
}
