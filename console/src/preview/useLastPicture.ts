// Loads a single camera picture for settings pages. It is requested once per connection, and not cached.
import type { CamerasPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { drawingText } from "./drawing/drawing.text.ts";
import type { Picture } from "./drawing/PictureFrame.tsx";
import { requestPreview, isReachable, failureMessage } from "./preview.queries.ts";
import { previewText as text } from "./preview.text.ts";

export function pictureOf({ name, width, height, jpeg }: CamerasPreview["cameras"][number]): Picture {
  return { name, width, height, url: jpeg === "" ? null : `data:image/jpeg;base64,${jpeg}` };
}

export type LastPicture = {
  /** Null while loading and while the sensor is unreachable. */
  picture: Picture | null;
  /** In ms by the device's clock. */
  takenAt: number | null;
  empty: string;
  retry: (() => void) | null;
};

const none = { picture: null, takenAt: null, retry: null };

export function useLastPicture(sensor: Sensor): LastPicture {
  const { _id: id, psconnect } = sensor;
  const reachable = isReachable(sensor);
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", "last picture", id, psconnect?.statusChangedAt ?? null],
    queryFn: ({ signal }) => requestPreview(id, "cameras", signal),
    enabled: reachable,
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  if (!reachable) return { ...none, empty: text.offline };
  if (error !== null) return { ...none, empty: failureMessage(error), retry: () => void refetch() };
  if (data === undefined) return { ...none, empty: text.waiting };
  const [camera] = data.cameras;
  if (camera === undefined) return { ...none, empty: text.noCameras };
  return { picture: pictureOf(camera), takenAt: data.at, empty: drawingText.noPicture, retry: null };
}
