// Texts of the live views of a ZOD or PS.C1.
import type { CamerasPreview } from "@psp/contract/section/preview.ts";

type CameraState = CamerasPreview["cameras"][number]["state"];

export const previewText = {
  offline: "The sensor is offline.", // fixed
  paused: "Preview paused", // fixed
  resume: "Resume",
  old: "Older than 10 s",
  waiting: "Waiting for the sensor",
  retry: "Try again",
  taken: "Taken",
  unknownMethod: "The installed firmware does not support this preview.",
  shapesFailed: "The lines and zones could not be loaded.",
  noCameras: "The sensor has no cameras.",
  cameraStates: {
    ok: "Ok",
    covered: "Covered",
    dark: "Dark",
    bright: "Bright",
    off: "Off",
  } satisfies Record<CameraState, string>,

  camera: "Camera",
  state: "State",
  persons: "Persons",
  unknown: "unknown",
  coach: "Coach",
  level: "Level",
  section: "Section",
  otherLevel: "Without a level",
  personsAndPlaces: "Persons / places",
  share: "Occupancy",
  nameOfLevel: (name: string) => `Level ${name}`,
  nameOfSection: (name: string) => `Section ${name}`,
  noLevels: "The sensor has no levels.",
  noSections: "The sensor has no sections.",
  atLeast: (words: string) => `≥ ${words}`,
  legend: "Colors",
  upTo: (percent: number) => `Up to ${percent} %`,
  below: (percent: number) => `Below ${percent} %`,
  full: "Full",
  legendUnknown: "Unknown",

  position: "Position",
  noPosition: "No position",
  accuracy: (meters: number) => `Accuracy ${meters} m`,
  center: "Center map",
  facts: {
    fix: "Fix",
    latitude: "Latitude",
    longitude: "Longitude",
    speed: "Speed",
    heading: "Heading",
    accuracy: "Accuracy",
    satellites: "Satellites",
  },
} as const;
