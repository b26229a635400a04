// Admits a device only with MQTT 5, an allowed will, its own id as client id and user name, and its secret.
import type { AuthenticateError, Client, ConnectPacket } from "aedes";
import type { Context } from "../context.ts";
import type { BrokerHandlers } from "./broker.ts";
import { canSetWill, isOwnLogin } from "./device-access.ts";

/** `guardOf` returns null until the broker has started. `addressOf` returns the client's remote address. `onLogin` is called after the authentication. */
export function createDeviceLogin(
  { log }: Pick<Context, "log">,
  guardOf: () => BrokerHandlers | null,
  addressOf: (client: Client) => string,
  onLogin: (client: Client) => void,
) {
  const refused = new WeakSet<Client>();
  return {
    preConnect(client: Client, packet: ConnectPacket, done: (error: Error | null, ok: boolean) => void) {
      if (packet.protocolVersion !== 5) {
        client.conn.write(Buffer.from([0x20, 2, 0, 1]));
        return done(new Error("MQTT 5 only"), false);
      }
      const will = packet.will;
      if (will) {
        const payload = Buffer.from(will.payload);
        if (!canSetWill(packet.clientId, { topic: will.topic, qos: will.qos ?? 0, payload })) refused.add(client);
        // The gateway handles lost connections itself, so the broker must not publish the will.
        delete packet.will;
      }
      done(null, true);
    },
    authenticate(
      client: Client,
      username: string | undefined,
      password: Buffer | undefined,
      answer: (error: AuthenticateError | null, ok: boolean | null) => void,
    ) {
      const refuse = (returnCode: number) => answer(Object.assign(new Error("refused"), { returnCode }), false);
      const guard = guardOf();
      if (!guard || refused.has(client) || !isOwnLogin(client.id, username) || !password) {
        guard?.onOffense(null, "connect");
        return refuse(5);
      }
      guard.authenticate(client.id, password.toString("utf8"), addressOf(client)).then(
        (good) => {
          if (!good) return refuse(5);
          onLogin(client);
          answer(null, true);
        },
        (error: unknown) => {
          log.warn({ err: error }, "a device could not be checked");
          refuse(3);
        },
      );
    },
  };
}
