// The interface between the gateway and an MQTT broker: the embedded one or an external cluster.

/**
 * A message from a device. The broker authenticates the sender; the payload does not identify it. `isRetained`: the broker kept it, so
 * that it proves no contact now.
 */
export type DeviceMessage = {
  wireId: string;
  topic: string;
  payload: Buffer;
  correlation: Buffer | null;
  isRetained?: boolean;
};

export type Delivery = {
  qos: 0 | 1;
  retain?: boolean;
  expiryS?: number;
  responseTopic?: string;
  correlation?: Buffer;
};

export type BrokerHandlers = {
  /** Throws if the secret can't be checked now. */
  authenticate(wireId: string, secret: string, remoteAddress: string): Promise<boolean>;
  /** False if the device has connected to another gateway since it was authenticated. */
  isAdmitted(wireId: string): boolean;
  /** The message is acknowledged when the promise resolves. Never rejects because of message content. */
  onMessage(message: DeviceMessage): Promise<void>;
  /** Not called if a newer connection of the same device took over. */
  onDisconnect(wireId: string): void;
  /** Another connection with the same identity and secret is about to end this one. */
  onTakeover(wireId: string, from: string, to: string): void;
  /** A device broke a rule; for logs and metrics. */
  onOffense(wireId: string | null, what: string): void;
  /** The link to an external broker is up, for the first time or again. */
  onLink(isFirst: boolean): void;
  /** A client of an external broker published that the platform is away. */
  onHostOffline(): void;
};

/** MQTT 5 reason codes that the server sends. */
export const reasonCodes = {
  notAuthorized: 0x87,
  serverUnavailable: 0x88,
  shuttingDown: 0x8b,
  rateTooHigh: 0x96,
  sessionTakenOver: 0x8e,
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
  /** Address of the device's connection; null if there is none or the broker can't tell. */
  addressOf(wireId: string): string | null;
  /** Whether devices can be reached: it accepts connections, or is connected to the external broker. */
  isReady(): boolean;
  /** Reads the retained states of devices again; only with an external broker. */
  readRetained?(): void;
  /** From now on, publications do not wait for an external broker that is away. */
  prepareStop?(): void;
  stop(): Promise<void>;
};

export const toMqttProperties = ({ expiryS, responseTopic, correlation }: Delivery) => ({
  contentType: "application/json",
  ...(expiryS === undefined ? {} : { messageExpiryInterval: expiryS }),
  ...(responseTopic === undefined ? {} : { responseTopic }),
  ...(correlation === undefined ? {} : { correlationData: correlation }),
});
