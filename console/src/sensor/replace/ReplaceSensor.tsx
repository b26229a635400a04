// Button that replaces a sensor, and facts about its replacement in the page's header.
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import SwapHorizRounded from "~icons/ic/round-swap-horiz";
import { Button } from "@mui/material";
import { type ReactNode, useState } from "react";
import { loadChunk } from "../../address/loadChunk.ts";
import { AppLink } from "../../address/navigation.tsx";
import { paths } from "../../address/paths.ts";
import { useCan, useOwners } from "../../api/session/useCan.ts";
import { LazyDialog } from "../../ui/feedback/LazyDialog.tsx";
import { Mono } from "../../ui/Mono.tsx";
import { replaceText as text } from "./replace.text.ts";

const loadDialog = async () => (await loadChunk("ReplaceDialog", () => import("./ReplaceDialog.tsx"))).ReplaceDialog;

/** Nothing for sensors that can't be replaced, because they have no location or the user may not edit them. */
export function ReplaceSensor({ sensor }: { sensor: Sensor }) {
  const can = useCan();
  const [isOpen, setOpen] = useState(false);
  const { ownerOf, ready } = useOwners([sensor.owner._id]);
  const onClose = () => setOpen(false);
  // The dialog stays open while it shows the result of its own replacement.
  const canReplace = sensor.measurement !== null && !sensor.measurement.isDeleted && sensor.replacedBy === null;
  if (!ready || !can.edit("sensor", ownerOf(sensor.owner._id))) return null;
  return (
    <>
      {canReplace ? (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          startIcon={<SwapHorizRounded />}
          onClick={() => setOpen(true)}
        >
          {text.replace}
        </Button>
      ) : null}
      {isOpen ? <LazyDialog load={loadDialog} onClose={onClose} show={{ sensor, onClose }} /> : null}
    </>
  );
}

export function replacementFacts({ replacedBy, replaces }: Sensor): (readonly [label: string, value: ReactNode])[] {
  return [
    ...(replacedBy === null ? [] : [[text.replacedBy, <Other key="by" {...replacedBy} />] as const]),
    ...(replaces === null ? [] : [[text.replaces, <Other key="of" {...replaces} />] as const]),
  ];
}

function Other({ _id, isDeleted }: NonNullable<Sensor["replacedBy"]>) {
  const id = <Mono>{_id}</Mono>;
  return isDeleted ? id : <AppLink to={paths.sensor(_id)}>{id}</AppLink>;
}
