// The port between the gateway and whatever moves MQTT packets: the embedded broker, or an external cluster.

/** A message from a device. The sender is proved by its credential; nothing in the payload decides who speaks. */
export type DeviceMessage = { wireId: string; topic: string; payload: Buffer; correlation: Buffer | null };

export type Delivery = {
  qos: 0 | 1;
  retain?: boolean;
  /** Seconds after which it is worthless. */
  expiryS?: number;
  responseTopic?: string;
  correlation?: Buffer;
};

export type BrokerGuard = {
  /** Is this the secret of the device with this wire id? Throws when that can't be found out now. */
  authenticate(wireId: string, secret: string): Promise<boolean>;
  /** Resolves when the message is safe; only then is it acknowledged. Never rejects for what a device sent. */
  onMessage(message: DeviceMessage): Promise<void>;
  /** The connection is gone, and no newer one of the same device has taken its place. */
  onDisconnect(wireId: string): void;
  /** A live connection of the device is about to end, because another one with its identity and secret has come. */
  onTakeover(wireId: string, from: string, to: string): void;
  /** A device tried what it may not; for logs and metrics. */
  onOffense(wireId: string | null, what: string): void;
};

/** Reason codes of MQTT 5 that the product sends by itself. */
export const reasons = {
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  rateTooHigh: 0x96,
  administrativeAction: 0x98,
  qosNotSupported: 0x9b,
} as const;

export type Broker = {
  start(guard: BrokerGuard): Promise<void>;
  /** Hands a message to the broker; resolves when it took it. */
  publish(topic: string, payload: string | Buffer, delivery: Delivery): Promise<void>;
  /** Ends a live session at once, and forgets what waited for it. */
  disconnect(wireId: string, reasonCode: number): Promise<void>;
  /** Is the device connected right now? Null when the broker can't say. */
  isConnected(wireId: string): boolean | null;
  stop(): Promise<void>;
};

/** The properties of MQTT 5 that a delivery travels with. */
export const propertiesOf = ({ expiryS, responseTopic, correlation }: Delivery) => ({
  contentType: "application/json",
  ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
  ...(responseTopic === undefined ? {} : { responseTopic }),
  ...(correlation === undefined ? {} : { correlationData: correlation }),
});
