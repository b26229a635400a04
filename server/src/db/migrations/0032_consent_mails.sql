-- Limits mails about consent: counts how often an account was asked for its consent by one parent account.
create index remote_session_by_question on remote_session (owner_id, account_id, asked_at) where consent is not null;
