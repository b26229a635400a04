// Reads how gateways connect to an external MQTT broker, and how that broker learns which devices may connect.
import { createPrivateKey, X509Certificate } from "node:crypto";
import { ConfigError, type Environment } from "./environment.ts";

/** Password of the gateways; a broker may let anybody try. */
const minPassword = 16;
const minSecret = 32;

/** PEM texts for the connection to `MQTT_URL`. Throws ConfigError if they don't fit each other or the URL. */
export function readBrokerTls({ MQTT_URL: url = "", MQTT_CA: ca, MQTT_CERT: cert, MQTT_KEY: key }: Environment) {
  if ((ca ?? cert ?? key) !== undefined && !/^(mqtts|wss):/.test(url))
    throw new ConfigError("MQTT_CA, MQTT_CERT and MQTT_KEY need an MQTT_URL that begins with mqtts:// or wss://");
  const authority = ca === undefined ? {} : { ca };
  if (cert === undefined && key === undefined) return authority;
  if (cert === undefined || key === undefined) throw new ConfigError("MQTT_CERT and MQTT_KEY need each other");
  if (!new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)))
    throw new ConfigError("MQTT_KEY is not the key of MQTT_CERT");
  return { ...authority, cert, key };
}

/** Null with the embedded broker. Throws ConfigError for weak or missing secrets. */
export function readBrokerAuth(e: Environment) {
  if (e.MQTT_URL === undefined) {
    if (e.MQTT_AUTH !== undefined) throw new ConfigError("MQTT_AUTH needs MQTT_URL");
    return null;
  }
  if (e.MQTT_AUTH !== "http") return { by: "dynamic-security" as const };
  const secret = e.MQTT_AUTH_SECRET_FILE ?? e.MQTT_AUTH_SECRET ?? "";
  if (secret.length < minSecret)
    throw new ConfigError(
      `MQTT_AUTH=http needs MQTT_AUTH_SECRET_FILE or MQTT_AUTH_SECRET with at least ${minSecret} characters`,
    );
  const url = URL.parse(e.MQTT_URL);
  const [username, password] = [url?.username ?? "", url?.password ?? ""].map(decodeURIComponent);
  if (!username || !password || password.length < minPassword)
    throw new ConfigError(
      `MQTT_AUTH=http needs an MQTT_URL with a user and a password of at least ${minPassword} characters`,
    );
  return {
    by: "http" as const,
    /** Proves that a request comes from the broker. */
    secret,
    /** The login of the gateways. */
    username,
    password,
  };
}
