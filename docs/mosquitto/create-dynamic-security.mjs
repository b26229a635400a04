// Prints Mosquitto's dynamic security file with the login of the gateways; reads its password from the standard input.
import { pbkdf2Sync, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

const iterations = 101;
const password = readFileSync(0, "utf8").trim();
if (password.length < 16) {
  process.stderr.write("The password needs at least 16 characters.\n");
  process.exit(1);
}
const salt = randomBytes(12);
const allow = (acltype, topic) => ({ acltype, topic, priority: 0, allow: true });
const acls = ["#", "$CONTROL/dynamic-security/#", "$SYS/broker/version"].flatMap((topic) => [
  ...(topic.startsWith("$SYS") ? [] : [allow("publishClientSend", topic)]),
  allow("publishClientReceive", topic),
  allow("subscribePattern", topic),
  allow("unsubscribePattern", topic),
]);
const file = {
  clients: [
    {
      username: "gateway",
      roles: [{ rolename: "gateway" }],
      password: pbkdf2Sync(password, salt, iterations, 64, "sha512").toString("base64"),
      salt: salt.toString("base64"),
      iterations,
    },
  ],
  roles: [{ rolename: "gateway", acls }],
  defaultACLAccess: { publishClientSend: false, publishClientReceive: false, subscribe: false, unsubscribe: false },
};
process.stdout.write(`${JSON.stringify(file, null, 2)}\n`);
