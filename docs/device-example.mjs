// A minimal sensor in one program: TOKEN=<init token> node docs/device-example.mjs (docs/device-protocol.md).
// It counts three people in and two out every minute. It keeps in memory what a real device must keep in flash.
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { connect } from "mqtt";
const { TOKEN, ID = "02:00:00:00:00:01", URL: url = "http://localhost:8080" } = process.env;
const post = { method: "POST", headers: { "content-type": "application/json" } };
// The key proves on re-enrollment that this is the same device. This example derives it from the id; a real device must generate
// a random key and keep it secret.
const der = (tag, ...parts) => Buffer.concat([Buffer.from([tag, Buffer.concat(parts).length]), ...parts]);
const seed = createHash("sha256").update(`demo ${ID}`).digest();
const pkcs8 = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
const key = createPrivateKey({ key: pkcs8, format: "der", type: "pkcs8" });
const spki = createPublicKey(key).export({ format: "der", type: "spki" });
const info = der(0x30, Buffer.from("0201003000", "hex"), spki, Buffer.from("a000", "hex"));
const signature = der(0x03, Buffer.from([0]), sign(null, info, key));
const csr = der(0x30, info, Buffer.from("300506032b6570", "hex"), signature).toString("base64");
const form = { token: TOKEN, id: ID, type: "APS", csr, nonce: `${Math.random()}`, time: Date.now() };
const enrolled = await (await fetch(`${url}/device/v1/enrol`, { ...post, body: JSON.stringify(form) })).json();
if (!enrolled.mqtt) throw new Error(enrolled.error);
const { host, port, tls, username, clientId, password } = enrolled.mqtt;
const up = (kind) => `sdp/1/${clientId}/up/${kind}`;
// The old password is kept until a connection with the new one has succeeded.
let renewal = null;
const held = new Map();
const ep = `e${Date.now()}`;
let next = 1;
const sid = Math.random().toString(16).slice(2);
const will = { topic: up("state"), payload: JSON.stringify({ online: false, sid, n: 1 }), qos: 1, retain: true };
const mqtt = connect(`${tls ? "mqtts" : "mqtt"}://${host}:${port}`, {
  protocolVersion: 5,
  clientId,
  username,
  password,
  clean: false,
  keepalive: 60,
  reconnectOnConnackError: true,
  will,
  properties: { sessionExpiryInterval: 604_800, receiveMaximum: 20 },
});
const send = (kind, body, options) => mqtt.publish(up(kind), JSON.stringify(body), { qos: 1, ...options });
const sendAll = (kind) =>
  held.size && send(kind, { v: 1, sid, ep, sent: Date.now(), recs: [...held.values()].slice(0, 200) });
const birth = () =>
  send(
    "state",
    { online: true, sid, n: 1, ep, seq: { first: Math.min(next, ...held.keys()), next }, fw: "1.0.0" },
    { retain: true },
  );
mqtt.on("error", ({ message }) => {
  console.log("not connected:", message);
  const { options } = mqtt;
  if (renewal) options.password = options.password === renewal.password ? renewal.before : renewal.password;
});
mqtt.on("connect", () => {
  if (renewal?.password === mqtt.options.password) renewal = null;
  mqtt.subscribe([`sdp/1/${clientId}/dn/#`, enrolled.hostState], { qos: 1 }, () => {
    birth();
    sendAll("fill");
  });
});
mqtt.on("message", (topic, bytes, { properties = {} }) => {
  const said = bytes.length ? JSON.parse(bytes) : {};
  if (topic.endsWith("/ack") && said.ep === ep) {
    const isHole = (q) => said.holes.some(([from, to]) => q >= from && q <= to);
    for (const q of held.keys()) if (q <= said.upTo && !isHole(q)) held.delete(q);
    console.log("stored up to", said.upTo, "still held", held.size);
  } else if (topic.endsWith("/rpc")) {
    const { responseTopic, correlationData } = properties;
    const answer =
      said.func === "ping"
        ? { ok: true, func: "ping", data: "", timestamp: Date.now() }
        : { ok: false, code: "UNKNOWN" };
    mqtt.publish(responseTopic, JSON.stringify(answer), { qos: 1, properties: { correlationData } });
  } else if (said.do === "rebirth") birth();
  else if (said.do === "cred" && said.password !== mqtt.options.password) {
    renewal = { before: mqtt.options.password, password: said.password };
    // First reports that the new password is stored, because the old one becomes invalid when the new one is used.
    mqtt.publish(up("reported"), JSON.stringify({ cred: said.id }), { qos: 1, retain: true }, () => {
      mqtt.options.password = said.password;
      mqtt.stream.end();
    });
  }
});
setInterval(() => {
  const e = Math.floor(Date.now() / 60_000) * 60_000;
  held.set(next, { q: next++, t: "count", s: e - 60_000, e, lines: [{ id: "l1", name: "Door", in: 3, out: 2 }] });
  sendAll("data");
}, 60_000);
