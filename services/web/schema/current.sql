-- The schema after all migrations. A test compares it; UPDATE_SCHEMA=1 rewrites it.

CREATE TABLE web.sessions (
  session_hash bytea NOT NULL,
  subject text NOT NULL,
  issuer_session_id text,
  name text,
  login_name text,
  email text,
  encryption_key_id text NOT NULL,
  sealed_tokens bytea NOT NULL,
  access_expires_at timestamp with time zone NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT sessions_pkey PRIMARY KEY (session_hash),
  CONSTRAINT sessions_session_hash_check CHECK ((octet_length(session_hash) = 32))
);

CREATE TABLE web.used_logout_tokens (
  token_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_logout_tokens_pkey PRIMARY KEY (token_hash),
  CONSTRAINT used_logout_tokens_token_hash_check CHECK ((octet_length(token_hash) = 32))
);

CREATE INDEX sessions_created ON web.sessions USING btree (created_at);

CREATE INDEX sessions_issuer_session ON web.sessions USING btree (issuer_session_id);

CREATE INDEX sessions_last_used ON web.sessions USING btree (last_used_at);

CREATE INDEX sessions_subject ON web.sessions USING btree (subject, created_at);

CREATE INDEX used_logout_tokens_expiry ON web.used_logout_tokens USING btree (expires_at);
