// Camera preview of a ZOD or PS.C1. On a PS.C1, it shows lines and zones, too.
import type { CamerasPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { Box, Typography } from "@mui/material";
import { useQuery } from "@tanstack/react-query";
import { StatusDot, type StatusTone } from "../ui/feedback/StatusDot.tsx";
import { DrawnItems } from "./drawing/DrawnItems.tsx";
import type { DrawnItem } from "./drawing/drawn-items.ts";
import { PictureFrame, sizeOf } from "./drawing/PictureFrame.tsx";
import { PreviewCard } from "./PreviewCard.tsx";
import { requestShapes, isReachable } from "./preview.queries.ts";
import { previewText as text } from "./preview.text.ts";
import { pictureOf } from "./useLastPicture.ts";
import { usePreview } from "./usePreview.ts";

const none: readonly DrawnItem[] = [];

export function Cameras({ sensor }: { sensor: Sensor }) {
  const preview = usePreview(sensor, "cameras");
  const shapes = useShapes(sensor);
  return (
    <PreviewCard sensor={sensor} title="Preview cameras" preview={preview} height={320}>
      {({ cameras }) => (
        <>
          {cameras.length === 0 ? <Typography sx={{ color: "text.secondary" }}>{text.noCameras}</Typography> : null}
          <Box
            sx={{
              display: "grid",
              gap: 4,
              gridTemplateColumns:
                cameras.length === 1 ? "minmax(0, 800px)" : "repeat(auto-fill, minmax(min(100%, 300px), 1fr))",
            }}
          >
            {cameras.map((camera) => (
              <Camera key={camera.id} camera={camera} shapes={shapes.data ?? none} />
            ))}
          </Box>
          {shapes.isError ? <Typography sx={{ color: "text.secondary" }}>{text.shapesFailed}</Typography> : null}
        </>
      )}
    </PreviewCard>
  );
}

/** Lines and zones as they were when the page was opened. */
function useShapes(sensor: Sensor) {
  const { _id: id, type } = sensor;
  return useQuery({
    queryKey: ["preview", "shapes", id],
    queryFn: ({ signal }) => requestShapes(id, signal),
    enabled: type === "PS.C1" && isReachable(sensor),
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
}

type CameraProps = {
  camera: CamerasPreview["cameras"][number];
  shapes: readonly DrawnItem[];
};

const tones: Record<CamerasPreview["cameras"][number]["state"], StatusTone> = {
  ok: "good",
  covered: "bad",
  dark: "warning",
  bright: "warning",
  off: "off",
};

export const CameraState = ({ state }: Pick<CameraProps["camera"], "state">) => (
  <StatusDot tone={tones[state]} label={text.cameraStates[state]} />
);

function Camera({ camera, shapes }: CameraProps) {
  const picture = pictureOf(camera);
  return (
    <Box component="figure" sx={{ m: 0, minWidth: 0 }}>
      <PictureFrame picture={picture}>
        {shapes.length === 0 ? null : <DrawnItems items={shapes} size={sizeOf(picture)} />}
      </PictureFrame>
      <Box component="figcaption" sx={{ mt: 1, display: "flex", gap: 3, justifyContent: "space-between" }}>
        <Box component="span" sx={{ fontWeight: 600, minWidth: 0, overflowWrap: "anywhere" }}>
          {camera.name}
        </Box>
        <CameraState state={camera.state} />
      </Box>
    </Box>
  );
}
