-- +goose Up
CREATE TABLE version (
	kind text PRIMARY KEY,
	n bigint NOT NULL,
	at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO version (kind, n) VALUES ('config', 0), ('lock', 0);

-- Documents are never changed: to go back is to apply an older one anew.
CREATE TABLE config (
	n bigint PRIMARY KEY,
	document text NOT NULL,
	applied_by text NOT NULL,
	applied_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE manifest (
	format text NOT NULL,
	hash text NOT NULL,
	body bytea NOT NULL,
	used_at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (format, hash)
);

CREATE TABLE lock (
	folder text NOT NULL,
	server text NOT NULL,
	record text NOT NULL,
	PRIMARY KEY (folder, server)
);

-- What servers say that nobody has approved, as some replica has seen it last.
CREATE TABLE waiting (
	folder text NOT NULL,
	server text NOT NULL,
	key text NOT NULL,
	entry text NOT NULL,
	raw text NOT NULL,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (folder, server, key)
);

-- Rows are only ever inserted. A call that may write has two of one id: the
-- intent, and the outcome.
CREATE TABLE journal (
	seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	id text NOT NULL,
	at timestamptz NOT NULL,
	kind text NOT NULL,
	issuer text NOT NULL,
	subject text NOT NULL,
	client text NOT NULL,
	server text NOT NULL,
	tool text NOT NULL,
	outcome text NOT NULL,
	entry text NOT NULL
);
CREATE INDEX journal_ended ON journal (id) WHERE id <> '' AND outcome <> 'intent';
CREATE INDEX journal_subject ON journal (issuer, subject, seq);

-- Who was seen, with the groups that their token named last.
CREATE TABLE seen (
	issuer text NOT NULL,
	subject text NOT NULL,
	name text NOT NULL,
	groups text[] NOT NULL,
	at timestamptz NOT NULL DEFAULT now(),
	PRIMARY KEY (issuer, subject)
);
