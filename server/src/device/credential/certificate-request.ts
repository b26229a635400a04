// Reads the device key of an enrollment: a certificate request (PKCS#10) signed with that key.
import { createPublicKey, type KeyObject, verify } from "node:crypto";
import { CertificationRequest } from "@peculiar/asn1-csr";
import { AsnConvert } from "@peculiar/asn1-schema";

/** `isProved`: the sender signed with the key. */
export type DeviceKey = { text: string; isProved: boolean };

const pem =
  /^-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----([A-Za-z0-9+/=\s]+)-----END (?:NEW )?CERTIFICATE REQUEST-----$/;
const pemStart = /^-----BEGIN (?:NEW )?CERTIFICATE REQUEST-----/;
const base64 = /^[A-Za-z0-9+/\s]+=*$/;
const minRsaBits = 2048;

/** Signature algorithms by object identifier; `hash` is null if the algorithm implies it. */
const algorithms = new Map<string, { key: string; hash: string | null }>([
  ["1.2.840.113549.1.1.11", { key: "rsa", hash: "sha256" }],
  ["1.2.840.113549.1.1.12", { key: "rsa", hash: "sha384" }],
  ["1.2.840.113549.1.1.13", { key: "rsa", hash: "sha512" }],
  ["1.2.840.10045.4.3.2", { key: "ec", hash: "sha256" }],
  ["1.2.840.10045.4.3.3", { key: "ec", hash: "sha384" }],
  ["1.2.840.10045.4.3.4", { key: "ec", hash: "sha512" }],
  ["1.3.101.112", { key: "ed25519", hash: null }],
  ["1.3.101.113", { key: "ed448", hash: null }],
]);

/**
 * Reads the field `csr` of an enrollment. Returns "broken" for a certificate request that is malformed, unsupported or not signed with
 * its own key. Any other text is a key without proof, as older devices send it.
 */
export function readDeviceKey(csr: string): DeviceKey | "broken" {
  const text = csr.trim();
  const isPem = pemStart.test(text);
  const [, body] = pem.exec(text) ?? [];
  if (isPem && body === undefined) return "broken";
  const der = Buffer.from(body ?? (base64.test(text) ? text : ""), "base64");
  if (!isPem && !looksLikeRequest(der)) return { text, isProved: false };
  const key = signerOf(der);
  return key ? { text: key.export({ format: "der", type: "spki" }).toString("base64"), isProved: true } : "broken";
}

/** A request starts with two nested sequences and an integer; a bare public key has an algorithm identifier instead. */
function looksLikeRequest(der: Buffer): boolean {
  const inner = contentAt(der, 0);
  const first = inner === null ? null : contentAt(der, inner);
  return first !== null && der[first] === 0x02;
}

/** Offset of the content of the DER sequence at `at`; null if there is none. */
function contentAt(der: Buffer, at: number): number | null {
  const length = der[at + 1];
  if (der[at] !== 0x30 || length === undefined) return null;
  return at + 2 + (length > 0x80 ? length - 0x80 : 0);
}

function signerOf(der: Buffer): KeyObject | null {
  try {
    const request = AsnConvert.parse(der, CertificationRequest);
    const algorithm = algorithms.get(request.signatureAlgorithm.algorithm);
    const signed = request.certificationRequestInfoRaw;
    if (!algorithm || !signed) return null;
    const spki = Buffer.from(AsnConvert.serialize(request.certificationRequestInfo.subjectPKInfo));
    const key = createPublicKey({ key: spki, format: "der", type: "spki" });
    if (key.asymmetricKeyType !== algorithm.key) return null;
    if (algorithm.key === "rsa" && (key.asymmetricKeyDetails?.modulusLength ?? 0) < minRsaBits) return null;
    return verify(algorithm.hash, Buffer.from(signed), key, Buffer.from(request.signature)) ? key : null;
  } catch {
    // The request or its key can't be parsed.
    return null;
  }
}
