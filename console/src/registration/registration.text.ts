// Texts of the registration pages; some are fixed (docs/rules/accounts.md#fixed-texts).
export const registrationText = {
  thanks: "Thank you for your purchase!",
  thanksText: "Complete the registration to log in and manage your sensors.",
  welcome: "Welcome to PS.Platform",
  welcomeText: (organization: string) =>
    `You have been invited by ${organization}. Enter your name and choose a password to log in.`,
  signUp: "Sign up",
  signUpText: "Create an account to manage your sensors and unlock exclusive platform-only features!", // fixed
  haveAccount: "Already registered?",
  backToLogin: "Back to login page", // fixed
  allRequired: "All fields are required unless marked as optional.",
  register: "Register",
  submitted: "Submission successful! Your account is waiting for approval by our support team...", // fixed
  submittedNext:
    "Once it is approved, we'll send you an email with a link to confirm your address. Then you can log in.",
  mailSent: "Please confirm your email address",
  mailSentText:
    "We sent a verification email to the address that received your invitation. Open the link in it to complete your registration.",
  complete: "Your registration is complete",
  completeText:
    "You can now log in with your email address and the password you chose. If that doesn't work, choose 'Forgot password?' on the login page.",
  toLogin: "To Login Page",
  registration: "Registration",
  loading: "Loading the registration",
  whoseText: "Someone, probably you, registered with your email address:",
  choiceText:
    "Confirm the registration to log in. If it wasn't you, end it. Then no one can log in with it, and your email address can be used again.",
  confirm: "Confirm",
  notMe: "That wasn't me", // fixed
  ended: "Registration ended",
  endedText: "No one can log in with it, and your email address can be used again. Thank you for letting us know.",
  verificationFailed: (why: string) => `Email verification failed. ${why}`,
  alreadyConfirmed: "Your email address is already confirmed. You can log in.",
  replaced: "This link is no longer valid. Use the link in the latest email we sent you.",
  expired: "This link has expired. We can email you a new one.",
  renew: "Send a new link",
  renewed: "This link has expired. We emailed you a new one.",
  linkGone:
    "This link is not valid. It may be incomplete, or the registration has ended. Copy the complete link from the email, or ask the person who invited you for a new invitation.",
  invitationOver: "This invitation expired after 30 days. Please ask the person who invited you for a new one.",
  tryAgain: "Try again",
  rateLimit: "Rate limit reached. Please wait 1 minute before trying again.", // fixed
  failed: "The registration could not be sent",
  person: "Contact person",
  you: "About you",
  organizationPart: "Organization and address",
  login: "Login",
  agreements: "Agreements",
  registersAs: "You are registering with",
  organizationLocked: "You belong to this organization, so its details are filled in for you.",
  optional: "Optional",
  addressLocked: "This address was filled in for you and can't be changed here.",
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
