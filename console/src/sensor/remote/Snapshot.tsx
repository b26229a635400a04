// A picture of what the sensor sees now: shown, taken again, saved by the person, and never kept (SE-11).
import { modestSnapshot } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import DownloadRounded from "@mui/icons-material/DownloadRounded";
import Box from "@mui/material/Box";
import Button from "@mui/material/Button";
import { useEffect, useState } from "react";
import { useFailure } from "../../api/useFailure.ts";
import { exactWords } from "../../ui/RelativeTime.tsx";
import { pictureName, pictureOf } from "./remote.facts.ts";
import { RemoteSection } from "./RemoteSection.tsx";
import { remoteText } from "../sensor-page.text.ts";
import type { Ask } from "./useAsk.ts";

type Picture = { url: string; type: string; timestamp: number };
type SnapshotProps = { sensor: Sensor; line: Ask; reason: string | undefined };

/** Props: `sensor`, `line` to it, `reason` why it can't be asked. */
export function Snapshot({ sensor, line, reason }: SnapshotProps) {
  const fail = useFailure();
  const [picture, setPicture] = useState<Picture | null>(null);
  // The browser forgets a picture as soon as another one, or another page, takes its place.
  useEffect(() => {
    if (picture !== null) return () => URL.revokeObjectURL(picture.url);
  }, [picture]);
  const failed = fail(remoteText.snapshotFailed);

  const take = async () => {
    try {
      const answer = await line.ask("getSnapshot", modestSnapshot);
      if (answer === null) return;
      const blob = pictureOf(answer);
      if (blob === null) return failed(new Error(remoteText.notAPicture));
      setPicture({ url: URL.createObjectURL(blob), type: blob.type, timestamp: answer.timestamp });
    } catch (error) {
      failed(error);
    }
  };
  return (
    <RemoteSection
      title={remoteText.snapshot}
      hint={remoteText.snapshotHint}
      action={picture === null ? remoteText.takeSnapshot : remoteText.reload}
      reason={reason}
      asking={line.asking === "getSnapshot"}
      onAsk={() => void take()}
    >
      {picture === null ? null : (
        <Shown
          sensor={sensor}
          picture={picture}
          onBroken={() => {
            setPicture(null);
            failed(new Error(remoteText.notAPicture));
          }}
        />
      )}
    </RemoteSection>
  );
}

function Shown({ sensor, picture, onBroken }: { sensor: Sensor; picture: Picture; onBroken: () => void }) {
  const zone = sensor.measurement?.location.timezone ?? undefined;
  return (
    <Box component="figure" sx={{ m: 0, display: "flex", flexDirection: "column", gap: 2 }}>
      <Box
        component="img"
        src={picture.url}
        alt={remoteText.pictureOf(sensor._id)}
        onError={onBroken}
        sx={{ display: "block", width: 1, height: "auto", borderRadius: "6px", border: 1, borderColor: "divider" }}
      />
      <Box
        component="figcaption"
        sx={{ display: "flex", flexWrap: "wrap", alignItems: "center", gap: 2, color: "text.secondary" }}
      >
        <span role="status">{remoteText.takenAt(exactWords(picture.timestamp, zone))}</span>
        <Button
          component="a"
          size="small"
          color="inherit"
          href={picture.url}
          download={pictureName(sensor._id, picture.type, picture.timestamp)}
          startIcon={<DownloadRounded />}
          sx={{ ml: "auto" }}
        >
          {remoteText.save}
        </Button>
      </Box>
    </Box>
  );
}
