// Lets an MQTT client process messages concurrently and acknowledge each after its commit.
import type { IPublishPacket, MqttClient } from "mqtt";

type Packet = { cmd: string; messageId?: number; reasonCode?: number };
type Done = (error?: Error | null) => void;
/** Undocumented members of the client. */
type Client = { _sendPacket(packet: Packet, done?: Done, ...others: unknown[]): void };

/** MQTT 5 reason code "unspecified error": the device sends these records again. */
const failed = 0x80;

/**
 * The client handles one message at a time until its acknowledgement is sent. Here the acknowledgement only seems to be sent, so that the
 * next message is handled; the real one follows when `handle` resolves. The client's Receive Maximum bounds the messages in between.
 */
export function delayAcknowledgements(
  client: MqttClient,
  handle: (topic: string, payload: Buffer, packet: IPublishPacket) => Promise<void>,
  onError: (error: unknown, topic: string) => void,
): void {
  const inner = client as unknown as Client;
  const send = inner._sendPacket.bind(inner);
  let connection = 0;
  client.on("close", () => {
    connection += 1;
  });

  inner._sendPacket = (packet, done, ...others) => {
    if (packet.cmd === "puback") done?.();
    else send(packet, done, ...others);
  };
  client.on("message", (topic, payload, packet) => {
    const startedOn = connection;
    const acknowledge = (reasonCode: number) => {
      // Each connection starts its own message ids.
      if (packet.qos === 1 && connection === startedOn && client.connected)
        send({ cmd: "puback", ...(packet.messageId === undefined ? {} : { messageId: packet.messageId }), reasonCode });
    };
    handle(topic, payload, packet).then(
      () => acknowledge(0),
      (error: unknown) => {
        onError(error, topic);
        acknowledge(failed);
      },
    );
  });
}
