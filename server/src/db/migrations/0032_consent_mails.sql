-- How often accounts were asked for their consent by one account above: mails about it are limited.
create index remote_session_by_question on remote_session (owner_id, account_id, asked_at) where consent is not null;
