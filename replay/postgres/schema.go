package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// migrations brings a schema from one version to the next; its length is the current version, which the table version
// holds. Entries are never changed, only added. "@" stands for the name of the schema.
//
// The tables are those of replay/sqlite, but for the tenant, whose name is part of every key: there is no sequence
// to number tenants by, and its rows stand together.
//
// A tenant has several rows in tenants, all of the same epoch. They are gates: an Append passes through one of them
// (a shared lock until it commits), a Delete closes them all. With one gate, every Append of a fleet would lock the
// same row, and under a steady stream of them a Delete would never get its turn.
var migrations = [][]string{
	0: { // to version 1
		`CREATE TABLE @tenants (
			tenant text COLLATE "C" NOT NULL,
			gate bigint NOT NULL,
			epoch bigint NOT NULL,
			PRIMARY KEY (tenant, gate)
		)`,
		`CREATE TABLE @objects (
			tenant text COLLATE "C" NOT NULL,
			name bytea NOT NULL,
			form bigint NOT NULL,
			size bigint NOT NULL,
			data bytea NOT NULL,
			PRIMARY KEY (tenant, name)
		)`,
		`CREATE TABLE @sessions (
			tenant text COLLATE "C" NOT NULL,
			session text COLLATE "C" NOT NULL,
			first bigint NOT NULL,
			last bigint NOT NULL,
			record bytea NOT NULL,
			PRIMARY KEY (tenant, session)
		)`,
		`CREATE TABLE @log (
			tenant text COLLATE "C" NOT NULL,
			session text COLLATE "C" NOT NULL,
			seq bigint NOT NULL,
			turn bigint NOT NULL,
			record bytea NOT NULL,
			key bytea NOT NULL,
			output bytea NOT NULL,
			PRIMARY KEY (tenant, session, seq)
		)`,
		`CREATE UNIQUE INDEX log_turn ON @log (tenant, session, turn)`,
		`CREATE INDEX log_key ON @log (tenant, key, session, seq)`,
		`CREATE INDEX log_output ON @log (tenant, output, session, seq)`,
	},
}

// prepare brings the schema to the current version.
func (s *Store) prepare(ctx context.Context, c *pgx.Conn) error {
	for again := newBackoff(); ; {
		version, err := s.version(ctx, c)
		switch {
		case err != nil:
		case version == len(migrations):
			return nil
		case version > len(migrations):
			return fmt.Errorf("schema version %d: written by a newer quire; this one knows %d", version, len(migrations))
		default:
			if err = s.create(ctx, c); err == nil {
				err = s.migrate(ctx, c)
			}
		}
		// Others do the same at this moment. Servers do not let "if not exists" wait for them, but report their tables as
		// duplicates, under several codes.
		var raced errRaced
		if err != nil && !contended(err) && !errors.As(err, &raced) || !again.wait(ctx) {
			return err
		}
	}
}

// version returns the version of the schema, 0 when there is none yet.
func (s *Store) version(ctx context.Context, c *pgx.Conn) (version int, err error) {
	err = c.QueryRow(ctx, s.sql(`SELECT number FROM @version`)).Scan(&version)
	if code(err) == undefinedTable || errors.Is(err, pgx.ErrNoRows) { // a missing schema is an undefined table as well
		return 0, nil
	}
	return version, err
}

// An errRaced is an error of making what others make at the same time.
type errRaced struct{ error }

func (e errRaced) Unwrap() error { return e.error }

// create makes the schema and its table of one row, the version, at 0.
func (s *Store) create(ctx context.Context, c *pgx.Conn) error {
	there := false
	// Asked first: to create what is there needs the right to create.
	err := c.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = $1)`, s.schemaName).Scan(&there)
	if err != nil {
		return err
	}
	statements := []string{
		s.sql(`CREATE TABLE IF NOT EXISTS @version (one boolean PRIMARY KEY CHECK (one), number integer NOT NULL)`),
		s.sql(`INSERT INTO @version (one, number) VALUES (true, 0) ON CONFLICT DO NOTHING`),
	}
	if !there {
		statements = slices.Insert(statements, 0, `CREATE SCHEMA IF NOT EXISTS `+pgx.Identifier{s.schemaName}.Sanitize())
	}
	for _, statement := range statements {
		if _, err := c.Exec(ctx, statement); err != nil {
			switch code(err) {
			case uniqueViolation, duplicateSchema, duplicateTable, duplicateObject:
				return errRaced{err}
			}
			return err
		}
	}
	return nil
}

// migrate makes one transaction of all that is missing. The row of the version lets one process at a time do it.
func (s *Store) migrate(ctx context.Context, c *pgx.Conn) (err error) {
	defer func() { rollback(ctx, c) }()
	if _, err := c.Exec(ctx, s.begin); err != nil {
		return err
	}
	var version int
	if err := c.QueryRow(ctx, s.sql(`SELECT number FROM @version FOR UPDATE`)).Scan(&version); err != nil {
		return err
	}
	for ; version < len(migrations); version++ {
		for _, statement := range migrations[version] {
			if _, err := c.Exec(ctx, s.sql(statement)); code(err) == duplicateTable {
				return fmt.Errorf("a table of something else, not of a quire store: %w", err)
			} else if err != nil {
				return err
			}
		}
	}
	if _, err := c.Exec(ctx, s.sql(`UPDATE @version SET number = $1`), version); err != nil {
		return err
	}
	return commit(ctx, c)
}
