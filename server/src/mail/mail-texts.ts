// Texts and recipients of all mails. Mails never contain passwords.
import { registrationSteps } from "@psp/contract/account/account.ts";
import { renderMail, type MailBody } from "./layout.ts";

const toLogin = (publicUrl: string) => ({ label: "Go to the login page", link: `${publicUrl}/login` });

export function invitationMail(about: { account: string; inviter: string; link: string }): MailBody {
  return renderMail({
    subject: "Your invitation to PS.Platform",
    paragraphs: [
      `${about.inviter} has set up the account "${about.account}" for you on PS.Platform, where you manage your sensors and see their data.`,
      "Complete the registration and choose a password. The link is valid for 30 days.",
    ],
    action: { label: "Complete registration", link: about.link },
    note: "If you did not expect this invitation, you can ignore this email.",
  });
}

/** `seen` is the account whose sensors and locations the colleague will see. */
export function colleagueMail({ seen, inviter, link }: { seen: string; inviter: string; link: string }): MailBody {
  const whose = seen === inviter ? "its" : `the`;
  return renderMail({
    subject: "Your invitation to PS.Platform",
    paragraphs: [
      `${inviter} has invited you to PS.Platform, where you can see ${whose} sensors and locations${seen === inviter ? "" : ` of ${seen}`}.`,
      "Enter your name and choose a password. The link is valid for 30 days.",
    ],
    action: { label: "Accept invitation", link },
    note: "If you did not expect this invitation, you can ignore this email.",
  });
}

export function loginAddedMail({ account, publicUrl }: { account: string; publicUrl: string }): MailBody {
  return renderMail({
    subject: "You can now log in to PS.Platform",
    paragraphs: [
      `An administrator has added this email address as a login for the account "${account}" on PS.Platform.`,
      "Ask the administrator for the password, or set your own with 'Forgot password?' on the login page.",
    ],
    action: toLogin(publicUrl),
    note: "If you did not expect this, contact the administrator of the account.",
  });
}

type Changed = readonly { email: string }[];
type LoginsChanged = {
  account: string;
  by: string;
  added: Changed;
  changed: Changed;
  removed: Changed;
  publicUrl: string;
  /** The recipient's own login was removed. */
  isGone: boolean;
};

/** Sent to the other logins of an account when one of them changes who can sign in. */
export function loginsChangedMail({ isGone, publicUrl, ...about }: LoginsChanged): MailBody {
  return renderMail({
    subject: "The logins of your account have changed",
    paragraphs: [
      `${about.by} has changed the logins of the account "${about.account}" on PS.Platform:`,
      ...about.removed.map(({ email }) => `The login ${email} was removed.`),
      ...about.changed.map(({ email }) => `The password of ${email} was changed.`),
      ...about.added.map(({ email }) => `The login ${email} was added.`),
    ],
    ...(isGone ? {} : { action: toLogin(publicUrl) }),
    note: isGone
      ? "You can no longer log in with this address. If you did not expect this, contact the administrator of the account."
      : "If you did not expect this, contact the administrator of the account and set a new password with 'Forgot password?' on the login page.",
  });
}

export function passwordResetMail({ account, link }: { account: string; link: string }): MailBody {
  return renderMail({
    subject: "Reset your PS.Platform password",
    paragraphs: [
      `Someone requested a new password for your login of the account "${account}" on PS.Platform.`,
      "The link below is valid for 30 minutes and can be used once. Links in earlier emails no longer work.",
    ],
    action: { label: "Set a new password", link },
    note: "If this wasn't you, you can ignore this email. Your password stays the same.",
  });
}

const confirmation = (link: string, paragraphs: string[]) =>
  renderMail({
    subject: "Please confirm your email address",
    paragraphs,
    action: { label: "Confirm email address", link },
    note: "If you did not register, open the link and choose 'That wasn't me'.",
  });
const confirmToLogIn = "Confirm your email address to log in. The link is valid for 7 days.";

/** Sent after the registration form of an invitation, and again when an expired link is used. */
export function confirmRegistrationMail({ account, link }: { account: string; link: string }): MailBody {
  return confirmation(link, [`Thank you for registering "${account}" on PS.Platform.`, confirmToLogIn]);
}

/** Sent when a registration is approved. */
export function verificationMail({ account, link }: { account: string; link: string }): MailBody {
  return confirmation(link, [
    `Your registration of "${account}" on PS.Platform was approved.`,
    confirmToLogIn,
    "If this address was used to sign up more than once, no password is set yet. In that case, set one with 'Forgot password?' on the login page.",
  ]);
}

export function registrationRejectedMail({ account }: { account: string }): MailBody {
  return renderMail({
    subject: "Your registration on PS.Platform",
    paragraphs: [
      `Thank you for your interest in PS.Platform. Unfortunately, we could not approve the registration of "${account}".`,
      "If you think this is a mistake, please contact our support team.",
    ],
  });
}

const standings: Record<number, string> = {
  [registrationSteps.toReview]: "Your registration is waiting for approval by our support team. We will email you.",
  [registrationSteps.invited]: "You have already been invited. Use the link in the invitation we sent to this address.",
  [registrationSteps.confirmEmail]:
    "You only need to confirm this address. Use the link in the email we sent you. If it has expired, open it anyway to request a new one.",
};

type ExistingAccount = { step: number; isOpenSignUp: boolean; publicUrl: string };

/** Sent when someone signs up with an address that already has an account. Only the address's owner learns this (T-08). */
export function addressInUseMail({ step, isOpenSignUp, publicUrl }: ExistingAccount): MailBody {
  const standing =
    standings[step] ?? "You can log in with it. If you forgot your password, you can set a new one on the login page.";
  const known = "Someone, probably you, signed up for PS.Platform with this address. An account already exists for it";
  return renderMail({
    subject: "Your registration on PS.Platform",
    paragraphs: isOpenSignUp
      ? [
          `${known} from an earlier sign-up. We can't tell which of the two passwords is yours, so neither of them works.`,
          standing,
          "Once your registration is approved and you have confirmed the address, set your password with 'Forgot password?' on the login page.",
        ]
      : [`${known}, so nothing was changed.`, standing],
    ...(step === registrationSteps.complete ? { action: toLogin(publicUrl) } : {}),
    note: "If this wasn't you, you can ignore this email.",
  });
}

type ConsentQuestion = {
  by: string;
  sensorId: string;
  isChange: boolean;
  length: string;
  reason: string;
  link: string;
};

/** Sent to the logins of a sensor's owner when a parent account asks to open the device page. */
export function consentRequestMail({ by, sensorId, isChange, length, reason, link }: ConsentQuestion): MailBody {
  return renderMail({
    subject: `${by} requests access to the configuration page of sensor ${sensorId}`,
    paragraphs: [
      `${by} asks for your consent to open the configuration page of your sensor ${sensorId} for ${length}, ${isChange ? "to change its settings" : "to view its settings"}.`,
      `Reason: ${reason}`,
      "You can allow or refuse access on the sensor's page. The request expires after a day.",
    ],
    action: { label: "Allow or refuse", link },
    note: "You get this email because your account requires consent for remote access. You can change this in My account.",
  });
}

/** Sent to the login that asked for consent. */
export function consentResponseMail(about: { sensorId: string; isAllowed: boolean; link: string }): MailBody {
  const { sensorId, isAllowed, link } = about;
  return renderMail({
    subject: `Your access to sensor ${sensorId} was ${isAllowed ? "allowed" : "refused"}`,
    paragraphs: isAllowed
      ? [
          `The owner of sensor ${sensorId} allowed you to open its configuration page.`,
          "You can open it once, within a day of your request. Your time starts when you open it.",
        ]
      : [`The owner of sensor ${sensorId} did not allow you to open its configuration page.`],
    ...(isAllowed ? { action: { label: "Go to the sensor", link } } : {}),
  });
}
