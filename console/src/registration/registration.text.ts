// Texts of the registration pages; some are fixed (docs/rules/accounts.md#fixed-texts).
export const registrationText = {
  thanks: "Thank you for your purchase!",
  thanksText: "Please complete the registration; then you can log in and manage your sensors.",
  signUp: "Sign up",
  signUpText: "Create an account to manage your sensors and unlock exclusive platform-only features!", // fixed
  haveAccount: "Already registered?",
  backToLogin: "Back to login page", // fixed
  allRequired: "All fields are required unless they are marked as optional.",
  register: "Register",
  submitted: "Submission successful! Your account is waiting for approval by our support team...", // fixed
  submittedNext:
    "As soon as it is approved, we send you an email with a link to confirm your address. Then you can log in.",
  mailSent: "Please confirm your email address",
  mailSentText:
    "A verification email was sent to the address where you found the link to this page. Please open the link in it to complete your registration.",
  complete: "Your registration is complete",
  completeText:
    "You can now log in with your registration email and the password you have chosen. If it doesn't work, set a new one with 'Forgot password?' there.",
  toLogin: "To Login Page",
  registration: "Registration",
  loading: "Loading the registration",
  whoseText: "Somebody, probably you, has registered with your email address:",
  choiceText:
    "Confirm, and you can log in. If you don't know about this registration, end it: no one can log in with it then, and your address is free again.",
  confirm: "Confirm",
  notMe: "That wasn't me",
  ended: "The registration was ended",
  endedText: "No one can log in with it, and your email address is free again. Thank you for telling us.",
  verificationFailed: (why: string) => `Email verification failed. ${why}`,
  alreadyConfirmed: "Your email address is already confirmed. You can log in.",
  replaced: "This link is not valid any more. Please use the link in the newest mail that we sent you.",
  expired: "This link has expired. You can ask for a new one: it comes by mail.",
  renew: "Send a new link",
  renewed: "This link has expired. We sent a new one to your address.",
  linkGone:
    "This link is not valid. It may be incomplete, or the registration was ended. Please open the whole link of the mail, or ask the person who invited you for a new invitation.",
  invitationOver:
    "This invitation has expired: the link is good for 30 days. Please ask the person who invited you for a new invitation.",
  tryAgain: "Try again",
  rateLimit: "Rate limit reached. Please wait 1 minute before trying again.", // fixed
  failed: "The registration could not be sent",
  person: "Contact person",
  organizationPart: "Organization and address",
  login: "Login",
  agreements: "Agreements",
  registersAs: "You register with the address",
  addressLocked: "The address was entered for you and can't be changed here.",
  supplierHint: "Optional: the company that supplied your sensors",
  newTab: "(opens in a new tab)",
  accepted: (date: string) => `Accepted on ${date}`,
  acceptedVersion: (date: string, version: string) => `Accepted on ${date}, version of ${version}`,
  email: "Email",
  dpa: "Data Processing Agreement", // fixed
  eula: "End User License Agreement", // fixed
  firstName: "First Name",
  familyName: "Family Name",
  department: "Department",
  organization: "Organization",
  phoneNumber: "Phone Number",
  street: "Street",
  streetNumber: "Street Number",
  postalCode: "Postal Code",
  city: "City",
  country: "Country",
  supplier: "Supplier",
} as const;
