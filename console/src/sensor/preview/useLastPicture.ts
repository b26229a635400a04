// One picture of a sensor's camera for the pages that set it up; asked once for each connection of the sensor, and not kept.
import type { CamerasPreview } from "@psp/contract/section/preview.ts";
import type { Sensor } from "@psp/contract/sensor/sensor.ts";
import { useQuery } from "@tanstack/react-query";
import type { Picture } from "../drawing/PictureFrame.tsx";
import { askPreview, isReachable, sentenceOf } from "./preview.queries.ts";
import { previewText as text } from "./preview.text.ts";

/** The picture of a camera as it is shown. */
export function pictureOf({ name, width, height, jpeg }: CamerasPreview["cameras"][number]): Picture {
  return { name, width, height, url: jpeg === "" ? null : `data:image/jpeg;base64,${jpeg}` };
}

type LastPicture = {
  /** Null until it is here, and while the sensor is not reachable. */
  picture: Picture | null;
  /** When it was taken, in ms by the device's clock. */
  takenAt: number | null;
  /** Why there is none. */
  problem: string | null;
};

export function useLastPicture(sensor: Sensor): LastPicture {
  const { _id: id, psconnect } = sensor;
  const reachable = isReachable(sensor);
  const { data, error } = useQuery({
    queryKey: ["preview", "last picture", id, psconnect?.statusChangedAt ?? null],
    queryFn: ({ signal }) => askPreview(id, "cameras", signal),
    enabled: reachable,
    retry: false,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
  });
  if (!reachable) return { picture: null, takenAt: null, problem: text.offline };
  if (error !== null) return { picture: null, takenAt: null, problem: sentenceOf(error) };
  const [camera] = data?.cameras ?? [];
  if (data === undefined || camera === undefined)
    return { picture: null, takenAt: null, problem: data === undefined ? null : text.noCameras };
  return { picture: pictureOf(camera), takenAt: data.at, problem: null };
}
