// Offers the next steps for newly registered sensors, such as assigning a location.
import { resolveAssignSensorScope } from "@psp/contract/permission/can.ts";
import { isEmptySet } from "@psp/contract/permission/scope.ts";
import AddRounded from "~icons/ic/round-add";
import CheckCircleRounded from "~icons/ic/round-check-circle";
import PlaceOutlined from "~icons/ic/outline-place";
import SensorsRounded from "~icons/ic/round-sensors";
import { Box, Button } from "@mui/material";
import { useState } from "react";
import { formatSearch } from "../address/address.ts";
import { loadChunk } from "../address/loadChunk.ts";
import { AppLink, useLink } from "../address/navigation.tsx";
import { paths } from "../address/paths.ts";
import { useCan } from "../api/session/useCan.ts";
import { standaloneLinkStyles } from "../ui/theme/targets.ts";
import { SectionCard } from "../ui/SectionCard.tsx";
import { LazyDialog } from "../ui/feedback/LazyDialog.tsx";
import type { ClaimRow } from "./claim.flow.ts";
import { claimText } from "./claim.text.ts";

const loadAssign = async () =>
  (await loadChunk("AssignClaimedDialog", () => import("./AssignClaimedDialog.tsx"))).AssignClaimedDialog;

type Assigned = { ids: readonly string[]; location: { id: string; name: string } };

type NextStepsProps = { rows: readonly ClaimRow[]; onAnother?: () => void };

export function NextSteps({ rows, onAnother }: NextStepsProps) {
  const can = useCan();
  const [assigned, setAssigned] = useState<readonly Assigned[]>([]);
  const [isAssigning, setAssigning] = useState(false);
  const claimed = rows.flatMap(({ sensorID: id, sensorType: type, claimingStatus }) =>
    claimingStatus === "CLAIMED" && id !== null ? [{ id, type }] : [],
  );
  const done = new Set(assigned.flatMap(({ ids }) => ids));
  const waiting = claimed.flatMap(({ id }) => (done.has(id) ? [] : [id]));
  const mayAssign =
    can.viewType("measurement") && can.edit("sensor", can.actor) && !isEmptySet(resolveAssignSensorScope(can.actor));
  const isFirst = mayAssign && waiting.length > 0;
  const onClose = () => setAssigning(false);
  return (
    <SectionCard title={claimText.whatNext(claimed.length)}>
      {assigned.map(({ ids, location }) => (
        <Box key={ids.join(" ")} role="status" sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2 }}>
          <CheckCircleRounded color="success" fontSize="small" />
          <Box component="span" sx={{ overflowWrap: "anywhere", minWidth: 0 }}>
            {claimText.assigned(ids.length, location.name)}
          </Box>
          <AppLink to={paths.locationGeneral(location.id)} query="none" sx={standaloneLinkStyles}>
            {claimText.openLocation}
          </AppLink>
        </Box>
      ))}
      <Box sx={{ display: "flex", flexWrap: "wrap", gap: 3, "& > *": { flex: { xs: "1 1 100%", sm: "none" } } }}>
        {isFirst ? (
          <Button variant="contained" startIcon={<PlaceOutlined />} onClick={() => setAssigning(true)}>
            {claimText.assign}
          </Button>
        ) : null}
        {can.viewType("sensor") ? <OpenSensors sensors={claimed} /> : null}
        {onAnother === undefined ? null : (
          <Button variant="outlined" color="inherit" startIcon={<AddRounded />} onClick={onAnother}>
            {claimText.another}
          </Button>
        )}
      </Box>
      {isAssigning ? (
        <LazyDialog
          load={loadAssign}
          onClose={onClose}
          show={{
            ids: waiting,
            onClose,
            onAssigned: (ids: readonly string[], location: Assigned["location"]) => {
              setAssigned([...assigned, { ids, location }]);
              onClose();
            },
          }}
        />
      ) : null}
    </SectionCard>
  );
}

function OpenSensors({ sensors }: { sensors: readonly { id: string }[] }) {
  const [first] = sensors;
  const ids = sensors.map(({ id }) => id);
  const link = useLink(
    ids.length === 1 && first ? paths.sensor(first.id) : paths.sensors + formatSearch({ ids }),
    "none",
  );
  return (
    <Button {...link} variant="outlined" color="inherit" startIcon={<SensorsRounded />}>
      {claimText.open(sensors.length)}
    </Button>
  );
}
