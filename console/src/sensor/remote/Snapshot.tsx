// Takes a snapshot of the sensor's view, and offers it for download. Snapshots are never stored (SE-11).
import { viewerSnapshotLimits } from "@psp/contract/sensor/sensor.remote.api.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import DownloadRounded from "~icons/ic/round-download";
import { Box, Button } from "@mui/material";
import { useEffect, useState } from "react";
import { useFailureToast } from "../../api/useFailure.ts";
import { formatExactTime } from "../../ui/time/RelativeTime.tsx";
import { remoteText } from "../sensor-page.text.ts";
import { bytesOf, type RemoteClient, RemoteSection } from "./RemoteSection.tsx";

const pictureTypes: Record<string, string> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

type Picture = { url: string; type: string; timestamp: number };

export function Snapshot({
  sensor,
  remote,
  reason,
}: {
  sensor: Sensor;
  remote: RemoteClient;
  reason: string | undefined;
}) {
  const failed = useFailureToast()(remoteText.snapshotFailed);
  const [picture, setPicture] = useState<Picture | null>(null);
  // Revokes the object URL when the picture is replaced or the page is left.
  useEffect(() => {
    if (picture !== null) return () => URL.revokeObjectURL(picture.url);
  }, [picture]);

  const take = async () => {
    const taken = await remote.request({
      func: "getSnapshot",
      options: viewerSnapshotLimits,
      failed: remoteText.snapshotFailed,
      unreadable: remoteText.notAPicture,
      read(answer) {
        const type = answer.ct ?? "image/jpeg";
        if (answer.data === "" || !Object.hasOwn(pictureTypes, type)) return null;
        return { blob: new Blob([bytesOf(answer)], { type }), timestamp: answer.timestamp };
      },
    });
    if (taken === null) return;
    const { blob, timestamp } = taken;
    setPicture({ url: URL.createObjectURL(blob), type: blob.type, timestamp });
  };
  return (
    <RemoteSection
      title={remoteText.snapshot}
      hint={remoteText.snapshotHint}
      action={picture === null ? remoteText.takeSnapshot : remoteText.reload}
      reason={reason}
      asking={remote.asking === "getSnapshot"}
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

/** `snapshot_021EC0123456_20261120T134501Z.png` */
function pictureName(id: string, { type, timestamp }: Picture): string {
  const time = new Date(timestamp).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return `snapshot_${id.replaceAll(":", "")}_${time}.${pictureTypes[type] ?? "img"}`;
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
        <span role="status">{remoteText.takenAt(formatExactTime(picture.timestamp, zone))}</span>
        <Button
          component="a"
          size="small"
          color="inherit"
          href={picture.url}
          download={pictureName(sensor._id, picture)}
          startIcon={<DownloadRounded />}
          sx={{ ml: "auto" }}
        >
          {remoteText.save}
        </Button>
      </Box>
    </Box>
  );
}
