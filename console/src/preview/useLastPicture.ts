// One picture of a sensor's camera for the pages that set it up; asked once for each connection of the sensor, and not kept.
import type { CamerasPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import { drawingText } from "./drawing/drawing.text.ts";
import type { Picture } from "./drawing/PictureFrame.tsx";
import { askPreview, isReachable, sentenceOf } from "./preview.queries.ts";
import { previewText as text } from "./preview.text.ts";

/** The picture of a camera as it is shown. */
export function pictureOf({ name, width, height, jpeg }: CamerasPreview["cameras"][number]): Picture {
  return { name, width, height, url: jpeg === "" ? null : `data:image/jpeg;base64,${jpeg}` };
}

export type LastPicture = {
  /** Null until it is here, and while the sensor is not reachable. */
  picture: Picture | null;
  /** When it was taken, in ms by the device's clock. */
  takenAt: number | null;
  /** Said in its place while it is not there. */
  empty: string;
  /** Asks for it again; null unless that failed. */
  retry: (() => void) | null;
};

const none = { picture: null, takenAt: null, retry: null };

export function useLastPicture(sensor: Sensor): LastPicture {
  const { _id: id, psconnect } = sensor;
  const reachable = isReachable(sensor);
  const { data, error, refetch } = useQuery({
    queryKey: ["preview", "last picture", id, psconnect?.statusChangedAt ?? null],
    queryFn: ({ signal }) => askPreview(id, "cameras", signal),
    enabled: reachable,
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  if (!reachable) return { ...none, empty: text.offline };
  if (error !== null) return { ...none, empty: sentenceOf(error), retry: () => void refetch() };
  if (data === undefined) return { ...none, empty: text.waiting };
  const [camera] = data.cameras;
  if (camera === undefined) return { ...none, empty: text.noCameras };
  return { picture: pictureOf(camera), takenAt: data.at, empty: drawingText.noPicture, retry: null };
}
