-- The schema after all migrations. A test compares it; UPDATE_SCHEMA=1 rewrites it.

CREATE TABLE auth.accounts (
  account_id uuid NOT NULL,
  organisation_id text NOT NULL,
  login_name text NOT NULL,
  name text NOT NULL,
  email text,
  password_hash text,
  provider_issuer text,
  provider_subject text,
  authorization_details jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  signed_out_at timestamp with time zone,
  disabled_at timestamp with time zone,
  CONSTRAINT accounts_pkey PRIMARY KEY (account_id),
  CONSTRAINT accounts_login_name_key UNIQUE (login_name),
  CONSTRAINT accounts_provider_issuer_provider_subject_key UNIQUE (provider_issuer, provider_subject),
  CONSTRAINT accounts_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES auth.organisations(organisation_id),
  CONSTRAINT accounts_email_check CHECK (((char_length(email) >= 3) AND (char_length(email) <= 254))),
  CONSTRAINT accounts_login_name_check CHECK (((char_length(login_name) >= 1) AND (char_length(login_name) <= 128))),
  CONSTRAINT accounts_name_check CHECK ((char_length(name) <= 128)),
  CONSTRAINT accounts_password_hash_check CHECK ((password_hash ~~ '$scrypt$%'::text)),
  CONSTRAINT accounts_provider_issuer_check CHECK ((char_length(provider_issuer) <= 4096)),
  CONSTRAINT accounts_provider_subject_check CHECK ((char_length(provider_subject) <= 255)),
  CONSTRAINT accounts_sign_in_check CHECK (((password_hash IS NULL) = ((provider_issuer IS NOT NULL) AND (provider_subject IS NOT NULL))))
);

CREATE TABLE auth.applications (
  application_id text NOT NULL,
  organisation_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT applications_pkey PRIMARY KEY (application_id),
  CONSTRAINT applications_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES auth.organisations(organisation_id),
  CONSTRAINT applications_application_id_check CHECK (((char_length(application_id) >= 1) AND (char_length(application_id) <= 128)))
);

CREATE TABLE auth.audit_events (
  event_id uuid DEFAULT gen_random_uuid() NOT NULL,
  occurred_at timestamp with time zone DEFAULT now() NOT NULL,
  kind text NOT NULL,
  subject text,
  client_id text,
  address text,
  operator text,
  details jsonb DEFAULT '{}'::jsonb NOT NULL,
  CONSTRAINT audit_events_pkey PRIMARY KEY (event_id),
  CONSTRAINT audit_events_address_check CHECK ((char_length(address) <= 64))
);

CREATE TABLE auth.authorisations (
  authorisation_id uuid NOT NULL,
  grant_type text NOT NULL,
  client_id uuid NOT NULL,
  application_id text NOT NULL,
  organisation_id text NOT NULL,
  subject text NOT NULL,
  audience text NOT NULL,
  scopes text[] NOT NULL,
  authorization_details jsonb,
  issued_at timestamp with time zone DEFAULT now() NOT NULL,
  address text NOT NULL,
  token_id uuid NOT NULL,
  source_authorisation_id uuid,
  grant_id text,
  sid text,
  CONSTRAINT authorisations_pkey PRIMARY KEY (authorisation_id),
  CONSTRAINT authorisations_address_check CHECK ((char_length(address) <= 64))
);

CREATE TABLE auth.client_secrets (
  secret_id uuid DEFAULT gen_random_uuid() NOT NULL,
  client_id uuid NOT NULL,
  hash text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT client_secrets_pkey PRIMARY KEY (secret_id),
  CONSTRAINT client_secrets_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.clients(client_id) ON DELETE CASCADE,
  CONSTRAINT client_secrets_hash_check CHECK (((hash ~~ '$scrypt$%'::text) OR (hash ~~ '$hmac-sha256$%'::text)))
);

CREATE TABLE auth.clients (
  client_id uuid NOT NULL,
  application_id text NOT NULL,
  name text NOT NULL,
  is_public boolean NOT NULL,
  public_key_pem text,
  scopes text[] NOT NULL,
  grant_types text[] DEFAULT '{client_credentials}'::text[] NOT NULL,
  redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
  post_logout_redirect_uris text[] DEFAULT '{}'::text[] NOT NULL,
  back_channel_logout_uri text,
  is_native boolean DEFAULT false NOT NULL,
  is_first_party boolean DEFAULT false NOT NULL,
  is_for_any_organisation boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  disabled_at timestamp with time zone,
  CONSTRAINT clients_pkey PRIMARY KEY (client_id),
  CONSTRAINT clients_application_id_fkey FOREIGN KEY (application_id) REFERENCES auth.applications(application_id),
  CONSTRAINT clients_name_check CHECK ((char_length(name) <= 128)),
  CONSTRAINT clients_native_check CHECK (((NOT is_native) OR is_public))
);

CREATE TABLE auth.consents (
  account_id uuid NOT NULL,
  client_id uuid NOT NULL,
  resource text NOT NULL,
  scopes text[] NOT NULL,
  given_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT consents_pkey PRIMARY KEY (account_id, client_id, resource),
  CONSTRAINT consents_account_id_fkey FOREIGN KEY (account_id) REFERENCES auth.accounts(account_id) ON DELETE CASCADE,
  CONSTRAINT consents_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.clients(client_id) ON DELETE CASCADE,
  CONSTRAINT consents_resource_check CHECK ((char_length(resource) <= 2048))
);

CREATE TABLE auth.logout_notices (
  client_id uuid NOT NULL,
  sid text NOT NULL,
  subject text NOT NULL,
  logout_uri text NOT NULL,
  CONSTRAINT logout_notices_pkey PRIMARY KEY (client_id, sid),
  CONSTRAINT logout_notices_client_id_fkey FOREIGN KEY (client_id) REFERENCES auth.clients(client_id) ON DELETE CASCADE
);

CREATE TABLE auth.organisations (
  organisation_id text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  disabled_at timestamp with time zone,
  CONSTRAINT organisations_pkey PRIMARY KEY (organisation_id),
  CONSTRAINT organisations_organisation_id_check CHECK (((char_length(organisation_id) >= 1) AND (char_length(organisation_id) <= 128)))
);

CREATE TABLE auth.provider_groups (
  group_name text NOT NULL,
  organisation_id text NOT NULL,
  authorization_details jsonb,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT provider_groups_pkey PRIMARY KEY (group_name),
  CONSTRAINT provider_groups_organisation_id_fkey FOREIGN KEY (organisation_id) REFERENCES auth.organisations(organisation_id),
  CONSTRAINT provider_groups_group_name_check CHECK (((char_length(group_name) >= 1) AND (char_length(group_name) <= 512)))
);

CREATE TABLE auth.provider_records (
  model text NOT NULL,
  id_hash bytea NOT NULL,
  payload json NOT NULL,
  expires_at timestamp with time zone,
  consumed_at timestamp with time zone,
  grant_id text,
  uid text,
  user_code text,
  account_id text,
  client_id text,
  address text,
  CONSTRAINT provider_records_pkey PRIMARY KEY (model, id_hash),
  CONSTRAINT provider_records_id_hash_check CHECK ((octet_length(id_hash) = 32)),
  CONSTRAINT provider_records_payload_check CHECK ((octet_length((payload)::text) <= 65536))
) WITH (autovacuum_vacuum_scale_factor=0.02);

CREATE TABLE auth.server_keys (
  name text NOT NULL,
  key bytea NOT NULL,
  CONSTRAINT server_keys_pkey PRIMARY KEY (name),
  CONSTRAINT server_keys_key_check CHECK ((octet_length(key) = 32))
);

CREATE TABLE auth.signing_keys (
  key_id text NOT NULL,
  public_key_pem text NOT NULL,
  encrypted_private_key bytea,
  encryption_key_id text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  signs_from timestamp with time zone DEFAULT now() NOT NULL,
  retired_at timestamp with time zone,
  withdrawn_at timestamp with time zone,
  CONSTRAINT signing_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT signing_keys_encrypted_check CHECK (((encrypted_private_key IS NULL) = (encryption_key_id IS NULL))),
  CONSTRAINT signing_keys_withdrawn_check CHECK (((withdrawn_at IS NULL) OR ((retired_at IS NOT NULL) AND (retired_at <= withdrawn_at))))
);

CREATE INDEX accounts_by_organisation ON auth.accounts USING btree (organisation_id);

CREATE INDEX applications_by_organisation ON auth.applications USING btree (organisation_id);

CREATE INDEX audit_events_by_subject ON auth.audit_events USING btree (subject, occurred_at, event_id) WHERE (subject IS NOT NULL);

CREATE INDEX audit_events_by_time ON auth.audit_events USING btree (occurred_at, event_id);

CREATE INDEX authorisations_by_client ON auth.authorisations USING btree (client_id, issued_at, authorisation_id);

CREATE INDEX authorisations_by_grant ON auth.authorisations USING btree (grant_id, issued_at) WHERE (grant_id IS NOT NULL);

CREATE INDEX authorisations_by_organisation ON auth.authorisations USING btree (organisation_id, issued_at, authorisation_id);

CREATE INDEX authorisations_by_session ON auth.authorisations USING btree (sid) WHERE (sid IS NOT NULL);

CREATE INDEX authorisations_by_subject ON auth.authorisations USING btree (subject, issued_at, authorisation_id);

CREATE INDEX authorisations_by_time ON auth.authorisations USING btree (issued_at, authorisation_id);

CREATE INDEX client_secrets_by_client ON auth.client_secrets USING btree (client_id, created_at);

CREATE INDEX clients_by_application ON auth.clients USING btree (application_id);

CREATE INDEX consents_by_client ON auth.consents USING btree (client_id);

CREATE INDEX provider_groups_by_organisation ON auth.provider_groups USING btree (organisation_id);

CREATE INDEX provider_records_by_account ON auth.provider_records USING btree (account_id) WHERE (account_id IS NOT NULL);

CREATE INDEX provider_records_by_acr ON auth.provider_records USING btree (((payload ->> 'acr'::text))) WHERE (model = 'Session'::text);

CREATE INDEX provider_records_by_client ON auth.provider_records USING btree (client_id, model, expires_at) WHERE (client_id IS NOT NULL);

CREATE INDEX provider_records_by_expiry ON auth.provider_records USING btree (expires_at) WHERE (expires_at IS NOT NULL);

CREATE INDEX provider_records_by_grant ON auth.provider_records USING btree (grant_id) WHERE (grant_id IS NOT NULL);

CREATE INDEX provider_records_by_uid ON auth.provider_records USING btree (uid) WHERE (uid IS NOT NULL);

CREATE INDEX provider_records_by_user_code ON auth.provider_records USING btree (user_code) WHERE (user_code IS NOT NULL);

CREATE INDEX provider_records_pending_by_address ON auth.provider_records USING btree (address, model, expires_at) WHERE (address IS NOT NULL);

CREATE UNIQUE INDEX signing_keys_last_in_line ON auth.signing_keys USING btree (((retired_at IS NULL))) WHERE (retired_at IS NULL);
