import assert from "node:assert/strict";
import { it } from "node:test";
import { describeSchema } from "./describe-schema.ts";
import { createTestDatabase, withClient } from "./test-database.ts";

const statements = `
  create schema sample;
  create extension pg_trgm schema sample;
  set search_path = sample;
  create type colour as enum ('red', 'blue', 'it''s');
  create type span as range (subtype = text, collation = "C");
  create type pair as (a text, b numeric(10, 2));
  create domain hostname as text not null check (value = lower(value));
  create function fold(text) returns text language sql immutable return lower($1);
  create sequence numbers as integer start 5;
  create table parents (
    bucket_id uuid not null,
    id integer generated always as identity,
    name varchar(10) collate "C" not null default 'x',
    folded text generated always as (fold(name)) stored,
    primary key (bucket_id, id),
    unique (bucket_id, name),
    check (length(name) > 0)
  ) with (fillfactor = 90);
  create table children (
    bucket_id uuid not null,
    parent_id integer,
    "order" integer default 0 not null,
    gone text,
    document text,
    colour colour not null,
    created_at timestamptz(6) not null default now(),
    constraint child_of foreign key (bucket_id, parent_id) references parents
      on delete cascade deferrable initially deferred
  );
  alter table children drop column gone;
  alter table children alter document set storage external, alter document set statistics 500;
  create index children_newest on children (bucket_id, created_at desc, "order") include (colour)
    where parent_id is not null;
  create index children_search on children using gin (document gin_trgm_ops);
  create table notes (at date) partition by range (at);
  create table notes_now partition of notes for values from ('2026-01-01') to ('2027-01-01');
  create statistics together on bucket_id, parent_id from children;
  create table migrations (number integer);
`;

const snapshot = `CREATE TABLE sample.children (
  bucket_id uuid NOT NULL,
  parent_id integer,
  "order" integer DEFAULT 0 NOT NULL,
  document text STORAGE EXTERNAL STATISTICS 500,
  colour sample.colour NOT NULL,
  created_at timestamp(6) with time zone DEFAULT now() NOT NULL,
  CONSTRAINT child_of FOREIGN KEY (bucket_id, parent_id) REFERENCES \
sample.parents(bucket_id, id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);

CREATE TABLE sample.notes (
  at date
) PARTITION BY RANGE (at);

CREATE TABLE sample.notes_now (
  at date
) PARTITION OF sample.notes FOR VALUES FROM ('2026-01-01') TO ('2027-01-01');

CREATE TABLE sample.parents (
  bucket_id uuid NOT NULL,
  id integer GENERATED ALWAYS AS IDENTITY NOT NULL,
  name character varying(10) COLLATE "C" DEFAULT 'x'::character varying NOT NULL,
  folded text GENERATED ALWAYS AS (sample.fold((name)::text)) STORED,
  CONSTRAINT parents_pkey PRIMARY KEY (bucket_id, id),
  CONSTRAINT parents_bucket_id_name_key UNIQUE (bucket_id, name),
  CONSTRAINT parents_name_check CHECK ((length((name)::text) > 0))
) WITH (fillfactor=90);

CREATE INDEX children_newest ON sample.children USING btree (bucket_id, created_at DESC, "order") \
INCLUDE (colour) WHERE (parent_id IS NOT NULL);

CREATE INDEX children_search ON sample.children USING gin (document sample.gin_trgm_ops);

CREATE STATISTICS sample.together ON bucket_id, parent_id FROM sample.children;

CREATE SEQUENCE sample.numbers AS integer START 5 INCREMENT 1;

CREATE OR REPLACE FUNCTION sample.fold(text)
 RETURNS text
 LANGUAGE sql
 IMMUTABLE
RETURN lower($1);

CREATE TYPE sample.colour AS ENUM ('red', 'blue', 'it''s');

CREATE DOMAIN sample.hostname AS text NOT NULL CHECK ((VALUE = lower(VALUE)));

CREATE TYPE sample.pair AS (a text, b numeric(10,2));

CREATE TYPE sample.span AS RANGE (SUBTYPE = text, COLLATION = "C");

CREATE EXTENSION pg_trgm SCHEMA sample;
`;

it("describeSchema() returns the same text on every PostgreSQL", async () => {
  const { databaseUrl, drop } = await createTestDatabase();
  await withClient(databaseUrl, (client) => client.query(statements));
  assert.equal(await describeSchema(databaseUrl, "sample"), snapshot);

  await withClient(databaseUrl, (client) => client.query("create view sample.v as select 1 as a"));
  await assert.rejects(describeSchema(databaseUrl, "sample"), /Cannot describe view sample\.v/);
  await drop();
});
