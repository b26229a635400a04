// Selects which sensors count people: all APS, or some of them. Other sensors are listed with the reason why they can't count
// (OC-04).
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, FormHelperText } from "@mui/material";
import { Mono } from "../../ui/Mono.tsx";
import { occupancyText as text } from "../occupancy.text.ts";
import { elementId, type FormProps } from "./fields.ts";
import { CheckField } from "../../entity/page/SwitchField.tsx";

type Props = FormProps & {
  /** Undefined while loading, or if the user may not view the sensors. */
  sensors: readonly Sensor[] | undefined;
};

export function CountingSensors({ values, set, readOnly, errorOf, leave, sensors = [] }: Props) {
  const { all, ids } = values.counting;
  const error = errorOf("counting");
  const helpId = elementId("counting-help");
  const aps = sensors.filter(({ type }) => type === "APS").map(({ _id }) => _id);
  // Selected sensors that are no longer at the location.
  const gone = ids.filter((id) => !sensors.some(({ _id }) => _id === id));
  const chosen = new Set(all ? aps : ids);
  const choose = (id: string, on: boolean) => {
    const next = new Set(chosen);
    if (on) next.add(id);
    else next.delete(id);
    set("counting", { all: false, ids: [...next].toSorted() });
    leave("counting");
  };
  const off = readOnly ? text.readOnly : undefined;
  return (
    <Box component="fieldset" aria-describedby={helpId} sx={{ border: 0, m: 0, p: 0, minWidth: 0 }}>
      <Box component="legend" sx={{ p: 0, mb: 1, fontWeight: 600 }}>
        {text.counting}
      </Box>
      <Box sx={{ display: "flex", flexDirection: "column", maxHeight: 320, overflowY: "auto", px: 1 }}>
        <CheckField
          id={elementId("counting")}
          label={text.countingAll}
          reason={off}
          checked={all}
          onChange={(on) => set("counting", on ? { all: true, ids: [] } : { all: false, ids: aps })}
          isInvalid={error !== undefined}
        />
        {sensors.map(({ _id, type }) => (
          <SensorChoice
            key={_id}
            id={_id}
            type={type}
            isChosen={chosen.has(_id)}
            off={off ?? (type === "APS" ? undefined : text.notAps)}
            onChange={(on) => choose(_id, on)}
          />
        ))}
        {all
          ? null
          : gone.map((id) => (
              <SensorChoice key={id} id={id} type={text.missing} isChosen off={off} onChange={(on) => choose(id, on)} />
            ))}
      </Box>
      <FormHelperText id={helpId} error={error !== undefined}>
        {error ?? (sensors.length === 0 ? text.countingNone : "")}
      </FormHelperText>
    </Box>
  );
}

type ChoiceProps = {
  id: string;
  type: string;
  isChosen: boolean;
  off: string | undefined;
  onChange: (on: boolean) => void;
};

function SensorChoice({ id, type, isChosen, off, onChange }: ChoiceProps) {
  return (
    <CheckField
      label={
        <Box
          component="span"
          sx={{ display: "inline-flex", gap: 3, color: off === text.notAps ? "text.secondary" : undefined }}
        >
          <Mono>{id}</Mono>
          {type}
        </Box>
      }
      reason={off}
      checked={isChosen}
      onChange={onChange}
    />
  );
}
