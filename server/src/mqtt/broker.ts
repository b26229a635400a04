// The interface between the gateway and an MQTT broker: the embedded one or an external cluster.

/** A message from a device. The broker authenticates the sender; the payload does not identify it. */
export type DeviceMessage = { wireId: string; topic: string; payload: Buffer; correlation: Buffer | null };

export type Delivery = {
  qos: 0 | 1;
  retain?: boolean;
  expiryS?: number;
  responseTopic?: string;
  correlation?: Buffer;
};

export type BrokerHandlers = {
  /** Throws if the secret can't be checked now. */
  authenticate(wireId: string, secret: string): Promise<boolean>;
  /** The message is acknowledged when the promise resolves. Never rejects because of message content. */
  onMessage(message: DeviceMessage): Promise<void>;
  /** Not called if a newer connection of the same device took over. */
  onDisconnect(wireId: string): void;
  /** Another connection with the same identity and secret is about to end this one. */
  onTakeover(wireId: string, from: string, to: string): void;
  /** A device broke a rule; for logs and metrics. */
  onOffense(wireId: string | null, what: string): void;
};

/** MQTT 5 reason codes that the server sends. */
export const reasonCodes = {
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  rateTooHigh: 0x96,
  administrativeAction: 0x98,
  qosNotSupported: 0x9b,
} as const;

export type Broker = {
  start(guard: BrokerHandlers): Promise<void>;
  /** Resolves when the broker has accepted the message. */
  publish(topic: string, payload: string | Buffer, delivery: Delivery): Promise<void>;
  /** Ends an open session at once and drops its queue. */
  disconnect(wireId: string, reasonCode: number): Promise<void>;
  /** Null if the broker can't tell. */
  isConnected(wireId: string): boolean | null;
  stop(): Promise<void>;
};

export const toMqttProperties = ({ expiryS, responseTopic, correlation }: Delivery) => ({
  contentType: "application/json",
  ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
  ...(responseTopic === undefined ? {} : { responseTopic }),
  ...(correlation === undefined ? {} : { correlationData: correlation }),
});
