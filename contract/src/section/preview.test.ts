// Tests the limits of preview responses.
import { describe, expect, test } from "vitest";
import { previewSchemas } from "./preview.ts";
import type { PreviewKind } from "./sections.ts";
import { withChanges } from "./section.testing.ts";

const picture = (bytes: number) => `/9j/${"A".repeat(Math.ceil(bytes / 3) * 4 - 4)}`;
const right: Record<PreviewKind, Record<string, unknown>> = {
  cameras: {
    at: 1_700_000_000_000,
    cameras: [{ id: "c1", name: "Front", state: "ok", width: 640, height: 480, jpeg: picture(60 * 1024) }],
  },
  occupancy: {
    at: 1_700_000_000_000,
    coach: { persons: 12, capacity: 60 },
    levels: [{ id: "l1", name: "Main", persons: 12, capacity: 60 }],
    sections: [
      { id: "s1", name: "Front", levelId: "l1", persons: 12, capacity: 30, state: "ok" },
      { id: "s2", name: "Rear", levelId: "l1", persons: null, capacity: 30, state: "unknown" },
    ],
    cameras: [{ id: "c1", name: "Front", persons: null, state: "covered" }],
  },
  gps: {
    at: 1_700_000_000_000,
    fix: "3d",
    lat: 52.52,
    lng: 13.405,
    accuracyM: 3.5,
    speedMps: 8,
    headingDeg: 270,
    satellites: 9,
  },
};
const nowhere = { fix: "none", lat: null, lng: null, accuracyM: null, speedMps: null, headingDeg: null, satellites: 0 };

describe("SE-06 SE-07 previews", () => {
  test.each<[PreviewKind, Record<string, unknown>]>([
    ["cameras", {}],
    ["cameras", { cameras: [] }],
    ["cameras", { "cameras.0.state": "off", "cameras.0.jpeg": "", "cameras.0.width": 0, "cameras.0.height": 0 }],
    ["occupancy", {}],
    ["occupancy", { coach: { persons: 200, capacity: 60 } }],
    ["gps", {}],
    ["gps", nowhere],
  ])("%s with %j", (kind, changes) => {
    const preview = withChanges(right[kind], changes);
    expect(previewSchemas[kind].parse(preview)).toEqual(preview);
  });

  test("a camera's name that is a novel is cut", () => {
    const { cameras } = previewSchemas.cameras.parse(
      withChanges(right.cameras, { "cameras.0.name": "x".repeat(3_000) }),
    );
    expect(cameras[0]?.name).toBe("x".repeat(40));
  });

  test.each<[PreviewKind, string, Record<string, unknown>]>([
    ["cameras", "a picture that is too large", { "cameras.0.jpeg": picture(60 * 1024 + 3) }],
    ["cameras", "a picture that is no JPEG", { "cameras.0.jpeg": "PHN2Zz4=" }],
    ["cameras", "a picture that is no base64", { "cameras.0.jpeg": "/9j/<script>" }],
    ["cameras", "a picture that is too wide", { "cameras.0.width": 641 }],
    ["cameras", "a picture that is too high", { "cameras.0.height": 641 }],
    ["cameras", "too many", { cameras: Array(9).fill((right.cameras["cameras"] as unknown[])[0]) }],
    ["cameras", "an unknown state", { "cameras.0.state": "asleep" }],
    ["cameras", "a time that is a text", { at: "now" }],
    ["occupancy", "a part of a person", { coach: { persons: 1.5, capacity: 60 } }],
    ["occupancy", "less than none", { coach: { persons: -1, capacity: 60 } }],
    ["occupancy", "no capacity", { coach: { persons: 1 } }],
    ["occupancy", "too many levels", { levels: Array(4).fill({ id: "l1", name: "", persons: 0, capacity: 0 }) }],
    ["occupancy", "an unknown state", { "sections.0.state": "covered" }],
    ["gps", "north of the pole", { lat: 90.1 }],
    ["gps", "a fix without a position", { lat: null }],
    ["gps", "no fix field", { fix: undefined }],
    ["gps", "a heading beyond the circle", { headingDeg: 361 }],
  ])("%s: %s", (kind, _, changes) => {
    expect(previewSchemas[kind].safeParse(withChanges(right[kind], changes)).success).toBe(false);
  });
});
