// Announces in the embedded broker's CONNACK that QoS 2 is not supported (MQTT 5, 3.2.2.3.4).
import type { Duplex } from "node:stream";

const connackType = 0x20;
const maximumQos = Buffer.from([0x24, 1]);
/** Longer packets need a length field of two bytes. Our CONNACKs are much shorter. */
const maxLength = 127 - maximumQos.length;

/** The first packet of a connection is its CONNACK; the broker writes it in several chunks and offers no hook for properties. */
export function announceMaximumQos(stream: Duplex): void {
  const write = stream.write.bind(stream);
  let packet = Buffer.alloc(0);
  stream.write = (chunk: Buffer) => {
    packet = Buffer.concat([packet, chunk]);
    const length = packet[1];
    if (packet[0] === connackType && (length === undefined || packet.length < length + 2)) return true;
    stream.write = write;
    return write(withMaximumQos(packet));
  };
}

/** Returns the packet unchanged if it refuses the client or is not MQTT 5. */
function withMaximumQos(packet: Buffer): Buffer {
  const [type, length = 0, , reason, propertiesLength = 0] = packet;
  if (type !== connackType || reason !== 0 || length < 3 || length > maxLength) return packet;
  const longer = Buffer.concat([packet, maximumQos]);
  longer[1] = length + maximumQos.length;
  longer[4] = propertiesLength + maximumQos.length;
  return longer;
}
