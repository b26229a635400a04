-- The newest password reset mail of a credential: what its link must prove, and when the last mails went out (decisions 4).
create table password_reset (
  credential_id uuid primary key references credential (id) on delete cascade,
  -- Digest of the link's nonce together with the password of that time; null once a reset succeeded.
  binding bytea,
  mailed_at timestamptz[] not null
);
