// Tests enrollment with certificate requests, made by OpenSSL and the simulator, and with unsigned public keys.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { EnrolReply } from "@psp/contract/device/device-messages.ts";
import { createDeviceWorld, type DeviceWorld } from "../../testing/devices/device-world.ts";
import { createStillClock } from "../../testing/snapshot.ts";
import { readDeviceKey } from "./certificate-request.ts";

let world: DeviceWorld;
const clock = createStillClock();
beforeAll(async () => {
  world = await createDeviceWorld({ clock });
});
beforeEach(() => clock.moveTo(clock.now() + 3_601_000));
afterAll(() => world.stop());

const rsa = `-----BEGIN CERTIFICATE REQUEST-----
MIICXDCCAUQCAQAwFzEVMBMGA1UEAwwMMDAxNjI4ZmE4ZTY4MIIBIjANBgkqhkiG
9w0BAQEFAAOCAQ8AMIIBCgKCAQEApN3ZtAup8dVuN0tAwXT57ejTMt9+YX+QYg5V
8CLxiwgGhkmSMgYZ/Q5ihBZNyCAF4vebYVMdNIPg9taZUbYY1MQPmV0Z0VNs5S0q
jO8p2mZwgw0XXbW0QH31QZUR5zBMz9NDqgdiAfLIGXIvtktiQFC8ef01SeeYItmO
7qIxQlcDWJ3sevhelUza9nWTwisTNBvOFUpFe2JHrnhZxknunMxgBjI96GlafFqV
gzeu9Zac+U54kJL8GGczdvfvA+cpImYX2ZvPkUcf2kl7zi2ymzNzvtJZ+MLU42FH
H0mgqO7WCok/QNYvuOdPn9XmM9SgImhbDzJ1uL/w/erOAyyqowIDAQABoAAwDQYJ
KoZIhvcNAQELBQADggEBAFStVRSnpsyU1c2Veo/zymyIJXC5Q78INaRVe+k6CfyT
0atTJKYQlsTNI1i8bs41Yg2AJQB8dba+5adD66H7zC7RyZdbkUWqsnVnQx+yfyLP
qHuV0XrwUDS2fyVBZDY4r6Ls3jdGKtCUJx547ip8SRqTmVlqzR/fmpRtMbHgz6tk
4iBNu5UFx04e5wm4u1ArUOG+LiWXz9QU1NNnYesJxVdvhO0oqqb7XLJXyS581BdG
uKoHLBrSGM0qharRSHsAHh6nqQAwiP/J4azaekmloummi5JD3mgzxEmvlHNPUgJW
Vg91HtJdUEfLKWeGZuTD+dfJtz29ULoYxpHHy2Oxqto=
-----END CERTIFICATE REQUEST-----`;
const ec = `-----BEGIN CERTIFICATE REQUEST-----
MIHQMHkCAQAwFzEVMBMGA1UEAwwMMDAxNjI4ZmE4ZTY4MFkwEwYHKoZIzj0CAQYI
KoZIzj0DAQcDQgAEOuA6vfRyhZvGx6ZdiBBT0cTN8GIpt+jZ06RBCm2srQyr1o++
EHqMNLKELGBbrrjuO8HGMeUF1B7oG9wh/sv67KAAMAoGCCqGSM49BAMCA0cAMEQC
ID39Hcc8eoX6+azbJIQ+xaKixOQp5dY4rssNKc4z4uQLAiAdW4f9CyzphIF2+Fqq
eLuj0exek3wJ06E9a6OPixVJXA==
-----END CERTIFICATE REQUEST-----`;
const weak = `-----BEGIN CERTIFICATE REQUEST-----
MIIBSzCBtQIBADAMMQowCAYDVQQDDAF4MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCB
iQKBgQDNmlwmMmmSfGHQTMSHItupXLlzzaBtziUYqieMRKEaNJFZEnvZPom1tdZd
BfL6s1L9w+xQy/mqPxTi1AFCFV1L+yFgrPA/shHtSKwJRI33lFr5UcwVk6ippq9S
n5/nz3qlF5kc3n94KAc+HmIHrU7OfaAzK4FIEIoSSs0O/LRL2wIDAQABoAAwDQYJ
KoZIhvcNAQELBQADgYEAAkCESBuooxRdFrphRS73V3VR14Qm9ZspEr7K9gSeZ5gE
nAn22Gu8p+JU3D6V0dmjB23eZa+lSnTRrvy0FvO5tQKBh2iih5v0XjaXYPdlLBJ2
WlY3oCwnfcWO3dvXs8ezmu1ItdgjtAVuR1odrhrPSH3phZn12m2y0YasHsYqqjs=
-----END CERTIFICATE REQUEST-----`;
const ed25519 =
  "MH8wMwIBADAAMCowBQYDK2VwAyEA6J03jSbX9J13CfUD/ZhT6SXWyeCy34g+eqWR91zGGH6gADAFBgMrZXADQQBl/wiZ862mIIYMsK/3f9DiePpR4OS9raQjXklhTas2fBMlWbG9uqCEPsS+Ijc7qXH4ETtZPmpkI9LCDNdEQBMH";

const bytesOf = (csr: string) => Buffer.from(csr.replaceAll(/-----[A-Z ]+-----/g, ""), "base64");
const spkiOf = (csr: string) => {
  const key = readDeviceKey(csr);
  if (key === "broken") throw new Error("broken");
  return key.text;
};
const bent = (csr: string, at: number) => {
  const bytes = bytesOf(csr);
  const place = at < 0 ? bytes.length + at : at;
  bytes[place] = (bytes[place] ?? 0) ^ 1;
  return bytes.toString("base64");
};

let last = 0;
async function enrol(id: string, csr: string | undefined, extra: { token?: string; credential?: string } = {}) {
  const form = { token: await world.token(), id, type: "APS", nonce: "n", time: 0, csr, ...extra };
  return world.post(form, `10.8.0.${(last += 1)}`);
}

test.each([
  ["RSA, PEM", rsa],
  ["P-256, PEM", ec],
  ["P-256, DER in base64", bytesOf(ec).toString("base64")],
  ["Ed25519, DER in base64", ed25519],
])(
  "IT-02 a device that has signed a certificate request is known again by it, and not by its bare key: %s",
  async (_, csr) => {
    const id = world.freshId();
    expect((await enrol(id, csr)).status).toBe(201);
    const again = await enrol(id, csr);
    expect(again.status).toBe(200);
    await (await world.connect(again.body as EnrolReply)).end();
    expect((await enrol(id, spkiOf(csr))).status).toBe(409);
    const stranger = await world.account(`Stranger ${id}`, `0000${last + 10}`);
    expect((await enrol(id, csr, { token: await world.token(stranger) })).status).toBe(409);
    const other = spkiOf(csr) === spkiOf(ec) ? rsa : ec;
    expect((await enrol(id, other)).status).toBe(409);
  },
);

test("IT-02 a request with an invalid signature or syntax is 400 with the field and stores nothing", async () => {
  const bad = [
    bent(ec, -1),
    bent(rsa, -20),
    bent(ec, bytesOf(ec).indexOf("001628fa8e68")),
    bent(ed25519, 20),
    weak,
    rsa.replace("MII", "MIJ"),
    "-----BEGIN CERTIFICATE REQUEST-----\nnot base64!\n-----END CERTIFICATE REQUEST-----",
    bytesOf(ec).subarray(0, 80).toString("base64"),
  ];
  for (const csr of bad) {
    const id = world.freshId();
    const { status, body } = await enrol(id, csr);
    expect([status, body["code"], (body["details"] as { field: string }).field]).toEqual([400, 102, "csr"]);
    expect(await world.ctx.db.selectFrom("sensor").select("id").where("id", "=", id).execute()).toEqual([]);
  }
});

test("IT-02 a bare key counts until the device's first signature", async () => {
  const id = world.freshId();
  const bare = spkiOf(ec);
  expect((await enrol(id, bare)).status).toBe(201);
  expect((await enrol(id, bare)).status).toBe(200);
  const signed = await enrol(id, ec);
  expect(signed.status).toBe(200);
  expect((await enrol(id, bare)).status).toBe(409);
  // The right password is accepted, but the device keeps its signed key, and the bare key stays refused.
  const { password } = (signed.body as EnrolReply).mqtt;
  expect((await enrol(id, bare, { credential: password })).status).toBe(200);
  expect((await enrol(id, bare)).status).toBe(409);
  expect((await enrol(id, ec)).status).toBe(200);
});
