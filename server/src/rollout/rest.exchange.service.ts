// Sends the two requests of an update through a sensor's REST interface, and interprets the responses
// (docs/rules/firmware.md#updates-over-rest).
import { toDeviceText } from "@psp/contract/kit/text-bounds.ts";
import { type RestLogin, restPaths, restTokenSchema, type RestUpdate } from "@psp/contract/sensor/sensor.rest.ts";
import { TunnelError, type TunnelReply, type Tunnels } from "../tunnel/tunnel.service.ts";

const timeoutMs = 30_000;
const maxBytes = 16 * 1024;
const maxReason = 300;

/** `later`: no update was requested, so a retry is safe. */
export type LoginOutcome = { is: "in"; token: string } | { is: "refused"; info: string } | { is: "later" };
/**
 * `unanswered`: the sensor may have received the order, which must never be repeated. `unsent`: the sensor did not
 * receive it.
 */
export type OrderOutcome =
  | { is: "accepted" }
  | { is: "refused"; info: string }
  | { is: "unanswered" }
  | { is: "unsent" };

const post = (path: string, body: unknown, headers: Record<string, string> = {}) => ({
  method: "POST" as const,
  path,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(body),
  timeoutMs,
  maxBytes,
});

async function answerOf(reply: Promise<TunnelReply>): Promise<TunnelReply & { isWhole: boolean }> {
  try {
    return { ...(await reply), isWhole: true };
  } catch (error) {
    if (!(error instanceof TunnelError) || error.status === null) throw error;
    return { status: error.status, body: Buffer.alloc(0), isWhole: false };
  }
}

export async function logIn(tunnels: Tunnels, sensorId: string, login: RestLogin): Promise<LoginOutcome> {
  try {
    const reply = await answerOf(tunnels.request(sensorId, post(restPaths.login, login)));
    // Busy or starting: temporary.
    if (reply.status === 429 || reply.status >= 500) return { is: "later" };
    if (reply.status === 401) return { is: "refused", info: refusedCredentials };
    if (reply.status !== 200) return { is: "refused", info: reasonOf("The sensor refused the login", reply) };
    if (!reply.isWhole) return { is: "later" };
    const token = restTokenSchema.safeParse(jsonOf(reply));
    if (token.success) return { is: "in", token: token.data.access_token };
    return { is: "refused", info: "The sensor did not return an access token" };
  } catch (error) {
    if (error instanceof TunnelError) return { is: "later" };
    throw error;
  }
}

/** Sends the order. Call it at most once per task, because without a response the order counts as received. */
export async function orderUpdate(
  tunnels: Tunnels,
  sensorId: string,
  token: string,
  update: RestUpdate,
): Promise<OrderOutcome> {
  const order = post(restPaths.update, update, { authorization: `Bearer ${token}` });
  try {
    const reply = await answerOf(tunnels.request(sensorId, order));
    if (reply.status === 200) return { is: "accepted" };
    if (reply.status === 401) return { is: "refused", info: refusedCredentials };
    return { is: "refused", info: reasonOf("The sensor refused the update", reply) };
  } catch (error) {
    if (error instanceof TunnelError) return { is: error.sent ? "unanswered" : "unsent" };
    throw error;
  }
}

const refusedCredentials = "The sensor refused the REST credentials";

function jsonOf(reply: TunnelReply): unknown {
  try {
    return JSON.parse(reply.body.toString("utf8"));
  } catch {
    return null;
  }
}

/** Includes the status and, if the JSON has one, the sensor's own message. */
function reasonOf(what: string, reply: TunnelReply): string {
  const json = jsonOf(reply);
  const said =
    typeof json === "object" && json !== null
      ? ["message", "error", "detail"].map((key) => (json as Record<string, unknown>)[key]).find(isText)
      : undefined;
  const text = said === undefined ? "" : toDeviceText(said, maxReason);
  return `${what} (${reply.status})${text ? `: ${text}` : ""}`;
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
