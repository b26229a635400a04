// Sensors of a location as links. Users with the right can assign and remove sensors (LO-03).
import { listSensors, updateSensor } from "@psp/contract/sensor/sensor.api.ts";
import type { Location } from "@psp/contract/location/location.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import CloseRounded from "~icons/ic/round-close";
import { Box, Button, IconButton, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { formatSearch } from "../../address/address.ts";
import { loadChunk } from "../../address/loadChunk.ts";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { call } from "../../api/call.ts";
import { toListResult } from "../../api/listed.ts";
import { useFailureToast } from "../../api/useFailure.ts";
import { SensorChipLink } from "../../sensor/SensorChipLink.tsx";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { standaloneLinkStyles } from "../../ui/theme/targets.ts";
import { SectionCard } from "../../ui/SectionCard.tsx";
import { Disabled } from "../../ui/feedback/Disabled.tsx";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { Tip } from "../../ui/feedback/Tip.tsx";
import { useToasts } from "../../ui/feedback/Toasts.tsx";
import { useInvalidateAssignments } from "../location.entity.ts";
import { locationPageText as pageText } from "../location.page.text.ts";
import { locationText as text } from "../location.text.ts";

const shown = 12;

const loadAssign = async () =>
  (await loadChunk("AssignSensorsDialog", () => import("./AssignSensorsDialog.tsx"))).AssignSensorsDialog;

export function LocationSensors({ location }: { location: Location }) {
  const can = useCan();
  const measID = location._id;
  const [isAssigning, setAssigning] = useState(false);
  const query = { measID, limit: String(shown), includeTotals: "true" } as const;
  const { data } = useQuery({
    queryKey: ["sensor", "list", "of", measID],
    queryFn: async ({ signal }) => toListResult<Sensor>(await call(listSensors, { query, signal })),
    enabled: can.viewType("sensor"),
  });
  const sensors = data?.objects ?? [];
  const { ownerOf, ready } = useOwners([location.owner._id, ...sensors.map(({ owner }) => owner._id)]);
  if (!can.viewType("sensor")) return null;
  const total = data?.total ?? 0;
  const mayAssign = ready && can.assignSensor(ownerOf(location.owner._id));
  const onClose = () => setAssigning(false);
  return (
    <SectionCard title={text.sensors}>
      {data !== undefined && total === 0 ? (
        <Typography sx={{ color: "text.secondary" }}>{text.noSensors}</Typography>
      ) : null}
      <Box component="ul" sx={{ listStyle: "none", m: 0, p: 0, display: "flex", flexDirection: "column", gap: 1 }}>
        {sensors.map((sensor) => (
          <Box component="li" key={sensor._id} sx={{ display: "flex", alignItems: "center", gap: 1 }}>
            <Box sx={{ flex: 1, minWidth: 0 }}>
              <SensorChipLink sensor={sensor} />
            </Box>
            {ready && can.edit("sensor", ownerOf(sensor.owner._id)) ? (
              <RemoveSensor sensor={sensor} from={measID} />
            ) : null}
          </Box>
        ))}
      </Box>
      {total > shown ? (
        <AppLink to={paths.sensors + formatSearch({ measID })} query="none" sx={standaloneLinkStyles}>
          {text.allSensors(total)}
        </AppLink>
      ) : null}
      <Box>
        <Disabled reason={mayAssign ? undefined : pageText.noAssign}>
          <Button variant="outlined" color="inherit" onClick={() => setAssigning(true)}>
            {pageText.assign}
          </Button>
        </Disabled>
      </Box>
      {isAssigning ? <LazyDialog load={loadAssign} onClose={onClose} show={{ location, onClose }} /> : null}
    </SectionCard>
  );
}

/** Offers undo, because one click removes the sensor. */
function RemoveSensor({ sensor: { _id: id }, from }: { sensor: Sensor; from: string }) {
  const toasts = useToasts();
  const fail = useFailureToast();
  const invalidateAssignments = useInvalidateAssignments();
  const [isBusy, setBusy] = useState(false);
  const label = pageText.remove(id);
  const move = (measID: string | null) =>
    call(updateSensor, { params: { id }, body: { measID } }).then(
      () => (invalidateAssignments(), true),
      (error: unknown) => (fail(pageText.removeFailed)(error), false),
    );
  const remove = async () => {
    setBusy(true);
    const isDone = await move(null);
    setBusy(false);
    if (isDone) toasts.success(pageText.removed(id), { label: pageText.undo, onClick: () => void move(from) });
  };
  return (
    <Tip text={label}>
      <IconButton
        size="small"
        aria-label={label}
        aria-disabled={isBusy}
        onClick={isBusy ? undefined : () => void remove()}
      >
        <CloseRounded fontSize="small" />
      </IconButton>
    </Tip>
  );
}
