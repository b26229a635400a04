// Dialog to assign sensors to a location in one batch, found by id, with their current location.
import { listSensors } from "@psp/contract/sensor/sensor.api.ts";
import { batchUpdateSensors } from "@psp/contract/sensor/sensor.batch.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Checkbox, FormControlLabel, FormHelperText, Skeleton } from "@mui/material";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { outcomeTexts } from "../../entity/batch/batch.text.ts";
import { useChoices } from "../../entity/reference/useChoices.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { BatchDialog } from "../../ui/batch/BatchDialog.tsx";
import type { BatchRun } from "../../ui/batch/batchJob.ts";
import { SearchFailed } from "../../ui/choice/SearchingSelect.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { SearchField } from "../../ui/table/SearchField.tsx";
import { locationPageText as text } from "../location.page.text.ts";
import { useInvalidateAssignments } from "../location.entity.ts";

const query = { sortBy: "_id" };

type AssignSensorsProps = { location: Location; onClose: () => void };

export function AssignSensorsDialog({ location, onClose }: AssignSensorsProps) {
  const can = useCan();
  const invalidateAssignments = useInvalidateAssignments();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [attempted, setAttempted] = useState(false);
  const {
    data,
    rows,
    hiddenCount: beyond,
    text: typed,
    search,
  } = useChoices<Sensor>({
    type: "sensor",
    list: listSensors,
    query,
    searchBy: "sensorID",
    eager: true,
  });
  const { ownerOf, ready } = useOwners(rows.map(({ owner }) => owner._id));
  const offered = rows.filter(
    ({ measurement, owner }) => measurement?._id !== location._id && can.edit("sensor", ownerOf(owner._id)),
  );
  const isKnown = data !== undefined && ready;
  const run: BatchRun = async ({ onlyIds }) => {
    const sensorIDs = [...(onlyIds ?? chosen)];
    try {
      return await call(batchUpdateSensors, { body: { sensorIDs, changes: { measID: location._id } } });
    } finally {
      invalidateAssignments();
    }
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  const nothing = attempted && chosen.size === 0;
  return (
    <BatchDialog
      title={text.assignTitle(location.name)}
      submitLabel={text.assignButton}
      total={chosen.size}
      run={run}
      texts={outcomeTexts("updated", { noun: "sensor", about: "sensor", all: false })}
      onClose={onClose}
      invalid={chosen.size === 0}
      onInvalid={() => setAttempted(true)}
    >
      <SearchField label={text.search} value={typed} onChange={search.onSearch} />
      <Box role="group" aria-label={text.chooseSensors} sx={{ maxHeight: 320, minHeight: 120, overflowY: "auto" }}>
        {search.failed ? <SearchFailed onRetry={search.onRetry} /> : null}
        {isKnown || search.failed
          ? offered.map((sensor) => (
              <Choice
                key={sensor._id}
                sensor={sensor}
                checked={chosen.has(sensor._id)}
                onToggle={() => toggle(sensor._id)}
              />
            ))
          : Array.from({ length: 5 }, (_, index) => <Skeleton key={index} height={36} />)}
        {isKnown && offered.length === 0 ? <Box sx={{ color: "text.secondary" }}>{text.noneFound}</Box> : null}
      </Box>
      {beyond > 0 ? <Box sx={{ color: "text.secondary" }}>{text.more(beyond)}</Box> : null}
      <FormHelperText error={nothing} role="status">
        {nothing ? text.chooseOne : `${text.chosen(chosen.size)}. ${text.leave}`}
      </FormHelperText>
    </BatchDialog>
  );
}

type ChoiceProps = { sensor: Sensor; checked: boolean; onToggle: () => void };

function Choice({ sensor: { _id, type, measurement }, checked, onToggle }: ChoiceProps) {
  const where = measurement === null ? text.nowhere : text.nowAt(measurement.name);
  return (
    <FormControlLabel
      sx={{ display: "flex", m: 0, gap: 1, minHeight: 36, py: { xs: 1, sm: 0 } }}
      control={<Checkbox checked={checked} onChange={onToggle} />}
      label={
        <Box component="span" sx={{ display: "flex", flexWrap: "wrap", columnGap: 3 }}>
          <Mono>{_id}</Mono>
          <Box component="span" sx={{ color: "text.secondary" }}>
            {`${type}, ${where}`}
          </Box>
        </Box>
      }
    />
  );
}
