// An SMTP server that receives the mails of the server under test.
import PostalMime, { type Email } from "postal-mime";
import { SMTPServer } from "smtp-server";

export type Mailbox = {
  url: string;
  /** Mails since the last call, in order. */
  take(): Promise<Email[]>;
  /** A closed mailbox temporarily refuses every mail. */
  open(isOpen: boolean): void;
  /** Refuses the content of every mail for good, or accepts it again. */
  refuseContent(isRefused: boolean): void;
  /** Refuses all mails to this address for good. */
  refuse(address: string): void;
  close(): Promise<void>;
};

export async function createMailbox(): Promise<Mailbox> {
  let received: string[] = [];
  let isOpen = true;
  let isContentRefused = false;
  const refused = new Set<string>();
  const smtp = new SMTPServer({
    authOptional: true,
    allowInsecureAuth: true,
    disabledCommands: ["STARTTLS"],
    // The server knows no login, so every login is wrong.
    onAuth: (_auth, _session, done) => done(Object.assign(new Error("invalid login"), { responseCode: 535 })),
    onRcptTo({ address }, _session, done) {
      done(refused.has(address) ? Object.assign(new Error("no such mailbox"), { responseCode: 550 }) : null);
    },
    onData(stream, _session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => void chunks.push(chunk));
      stream.on("end", () => {
        if (isContentRefused) return done(Object.assign(new Error("too big"), { responseCode: 552 }));
        if (isOpen) received.push(Buffer.concat(chunks).toString());
        done(isOpen ? null : Object.assign(new Error("try again later"), { responseCode: 451 }));
      });
    },
  });
  await new Promise<void>((resolve) => void smtp.listen(0, "127.0.0.1", resolve));
  const address = smtp.server.address();
  return {
    url: `smtp://127.0.0.1:${typeof address === "object" && address ? address.port : 0}`,
    async take() {
      const taken = received;
      received = [];
      return Promise.all(taken.map((raw) => PostalMime.parse(raw)));
    },
    refuse: (address) => void refused.add(address),
    open: (is) => void (isOpen = is),
    refuseContent: (is) => void (isContentRefused = is),
    close: () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  };
}
