// Short lists of common words, and of common passwords with at least fifteen characters. See known-passwords for the long list.

/** Words that are too weak as passwords, even if repeated or combined with digits. */
export const commonWords: ReadonlySet<string> = new Set(
  (
    "password passwort passw0rd kennwort admin administrator root user login welcome willkommen letmein changeme default " +
    "secret geheim qwerty qwertz qwertyuiop azerty iloveyou monkey dragon football baseball basketball soccer master " +
    "sunshine princess superman batman starwars shadow michael jennifer jordan hunter trustno whatever freedom summer " +
    "winter spring autumn sommer hallo hello abc abcd test testing guest server access company firma sensor platform " +
    "counting internet computer samsung google facebook liverpool arsenal chelsea pokemon cheese cookie"
  ).split(" "),
);

export const commonPasswords: ReadonlySet<string> = new Set(
  (
    "correcthorsebatterystaple thequickbrownfox thequickbrownfoxjumpsoverthelazydog passwordpassword123 " +
    "mypasswordispassword thisismypassword thisisapassword mysecretpassword mypassword123456 newpassword12345 " +
    "password123456789 passwordadmin123 adminpassword123 administratorpassword welcometothejungle whatthefuckisthis " +
    "iloveyousomuch1 iloveyousomuch123 iloveyouforever iloveyouforever1 jesuschristislord tobeornottobethatisthequestion " +
    "tobeornottobe123 maytheforcebewithyou letmeinletmeinletmein openthedoor12345 youshallnotpass youshallnotpass1 " +
    "q1w2e3r4t5y6u7i8 q1w2e3r4t5y6u7i8o9p0 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc4rfv 1qaz2wsx3edc4rfv5tgb " +
    "qazwsxedcrfvtgb qazwsxedcrfvtgbyhnujm zaq12wsxcde34rfv zaq1zaq1zaq1zaq1 1qazxsw23edcvfr4 qweasdzxcqweasdzxc " +
    "qweasdzxc123456 qwerty123456789 qwertyuiop12345 qwertyuiop123456 qwertyuiop1234567890 asdfghjkl123456 " +
    "qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertzuiopasdfghjkl qwertzuiopasdfghjklyxcvbnm azertyuiopqsdfghjklm " +
    "asdfghjklzxcvbnm abcdefghijklmnop abc123abc123abc123 abcd1234abcd1234 a1b2c3d4e5f6g7h8 aa123456aa123456 " +
    "123456789qwertyuiop 1234567890qwertyuiop 123qwe123qwe123qwe 123123123123123 qwe123qwe123qwe123 " +
    "supercalifragilisticexpialidocious antidisestablishmentarianism floccinaucinihilipilification " +
    "donaudampfschifffahrt donaudampfschifffahrtsgesellschaft unbreakablepassword unhackablepassword " +
    "superstrongpassword verystrongpassword averylongpassword areallylongpassword thisisalongpassword longpassword123"
  ).split(" "),
);
