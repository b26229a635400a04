// Identity of a virtual sensor: id, site and lines, all derived from a seed so that fleets are reproducible.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import type { SensorType } from "@psp/contract/device/sensor-type.ts";
import { type CoachPlace, siteKinds, type SiteKind, type Profile } from "../counting/tally.ts";
import { hashText, mixSeeds } from "../random.ts";

/** Locally administered MAC addresses, which no real device has. */
export function fleetMac(seed: string, index: number): string {
  const bytes = [
    0x02,
    mixSeeds(hashText(seed)) & 0xff,
    (index >> 24) & 0xff,
    (index >> 16) & 0xff,
    (index >> 8) & 0xff,
    index & 0xff,
  ];
  return bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}

export type TypeMix = { type: SensorType; weight: number }[];

/** Spreads the types over the fleet in the given proportion. */
export function typeAt(mixOfTypes: TypeMix, index: number): SensorType {
  const total = mixOfTypes.reduce((sum, { weight }) => sum + weight, 0);
  let place = (index * 7 + 3) % total;
  for (const { type, weight } of mixOfTypes) {
    if (place < weight) return type;
    place -= weight;
  }
  return mixOfTypes[0]?.type ?? "APS";
}

export type SitePlace = {
  kind?: SiteKind | undefined;
  zone: string;
  country?: string | undefined;
  coach?: CoachPlace | undefined;
};

export function profileOf(id: string, type: SensorType, seed: string, place: SitePlace): Profile {
  const own = mixSeeds(hashText(seed), hashText(id));
  const two = type === "APS" && own % 4 === 0;
  return {
    seed: own,
    kind: place.kind ?? siteKinds[(own >>> 4) % siteKinds.length] ?? "shop",
    zone: place.zone,
    country: place.country,
    size: 0.5 + ((own >>> 8) % 1000) / 800,
    lines: two
      ? [
          { id: "l1", name: "Main door", share: 0.7 },
          { id: "l2", name: "Side door", share: 0.3 },
        ]
      : [{ id: "l1", name: type === "ZOD" ? "Gate" : "Door", share: 1 }],
    classes: type === "APS",
    zone1: type === "PS.C1",
    ...(place.coach && { coach: place.coach }),
  };
}

export const firmwareByType: Record<SensorType, string> = { APS: "1.18.0", "PS.C1": "2.4.1", ZOD: "3.0.2" };
export const hardwareByType: Record<SensorType, string> = { APS: "APS-90", "PS.C1": "C1-60", ZOD: "ZOD-R2" };

const lastByteOf = (id: string): number => Number.parseInt(id.slice(-2), 16);

/** Every fourth ZOD of a fleet, starting with the first, is in a double-deck coach. */
export const isDoubleDeck = (id: string): boolean => (lastByteOf(id) >> 1) % 4 === 0;

/** A PS.C1 has no license for dwell time if the last byte of its id is a multiple of four. */
export const lacksDwell = (id: string): boolean => lastByteOf(id) % 4 === 0;

const ed25519Prefix = Buffer.from("302e020100300506032b657004220420", "hex");

const [sequence, integer, bitString] = [0x30, 0x02, 0x03];
const ed25519 = der(sequence, Buffer.from("06032b6570", "hex"));
const nothingMore = der(0xa0, Buffer.alloc(0));

function der(tag: number, ...content: Buffer[]): Buffer {
  const body = Buffer.concat(content);
  const length = body.length < 0x80 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}

/**
 * PKCS#10 request (DER in base64) signed with the device key. The key is derived from seed and id, so that the same
 * device can enroll again after it lost its credential.
 */
export function createCertificateRequest(seed: string, id: string): string {
  const secret = createHash("sha256").update(`${seed}\n${id}`).digest();
  const key = createPrivateKey({ key: Buffer.concat([ed25519Prefix, secret]), format: "der", type: "pkcs8" });
  const publicKey = createPublicKey(key).export({ format: "der", type: "spki" });
  const info = der(sequence, der(integer, Buffer.from([0])), der(sequence), publicKey, nothingMore);
  return der(sequence, info, ed25519, der(bitString, Buffer.from([0]), sign(null, info, key))).toString("base64");
}
