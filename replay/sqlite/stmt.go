package sqlite

import (
	"fmt"
	"math"

	"github.com/ncruces/go-sqlite3"

	"github.com/quirehq/quire/fingerprint"
	"github.com/quirehq/quire/replay"
)

// A value binds itself to a parameter of a statement.
type value func(stmt *sqlite3.Stmt, param int) error

func integer(n int64) value {
	return func(stmt *sqlite3.Stmt, param int) error { return stmt.BindInt64(param, n) }
}

func text(s string) value {
	return func(stmt *sqlite3.Stmt, param int) error { return stmt.BindText(param, s) }
}

func blob(b []byte) value {
	return func(stmt *sqlite3.Stmt, param int) error {
		if len(b) == 0 {
			return stmt.BindZeroBlob(param, 0) // a nil slice would be NULL
		}
		return stmt.BindBlob(param, b)
	}
}

func digest[T ~[32]byte](d T) value {
	return func(stmt *sqlite3.Stmt, param int) error {
		raw := [32]byte(d)
		return stmt.BindBlob(param, raw[:])
	}
}

// Close closes the connection and what it has prepared.
func (c *conn) Close() error {
	for _, stmt := range c.stmts { // in any order
		stmt.Close()
	}
	return c.Conn.Close()
}

// prepared returns the statement of a query, which is prepared once.
func (c *conn) prepared(query string) (stmt *sqlite3.Stmt, err error) {
	if stmt = c.stmts[query]; stmt == nil {
		if stmt, _, err = c.Prepare(query); err == nil {
			c.stmts[query] = stmt
		}
	}
	return stmt, err
}

// each runs a query and calls f for every row.
func (c *conn) each(query string, values []value, f func(row *sqlite3.Stmt) error) error {
	stmt, err := c.prepared(query)
	if err != nil {
		return err
	}
	for i, bind := range values {
		if err := bind(stmt, i+1); err != nil {
			return err
		}
	}
	return rows(stmt, f)
}

// rows calls f for every row of a statement that is bound.
func rows(stmt *sqlite3.Stmt, f func(row *sqlite3.Stmt) error) (err error) {
	for err == nil && stmt.Step() {
		err = f(stmt)
	}
	if err == nil {
		err = stmt.Err()
	}
	if resetErr := stmt.Reset(); err == nil {
		err = resetErr
	}
	return err
}

// eachName runs a query, whose parameters are the tenant and a name, for one name after the other.
func (c *conn) eachName(query string, names []fingerprint.Digest, f func(i int, row *sqlite3.Stmt) error) error {
	stmt, err := c.prepared(query)
	if err == nil {
		err = stmt.BindInt64(1, c.tenant)
	}
	for i := 0; i < len(names) && err == nil; i++ {
		if err = stmt.BindBlob(2, names[i][:]); err == nil {
			err = rows(stmt, func(row *sqlite3.Stmt) error { return f(i, row) })
		}
	}
	return err
}

// snapshot runs f in a transaction that reads: SQLite locks the file once, and not for every query.
func (c *conn) snapshot(f func() error) error {
	if err := c.run(`BEGIN`); err != nil {
		return err
	}
	if err := f(); err != nil {
		return err // and the connection is closed
	}
	return c.run(`COMMIT`)
}

// run runs a statement that returns no rows.
func (c *conn) run(query string, values ...value) error {
	return c.each(query, values, func(*sqlite3.Stmt) error { return nil })
}

// column reads a digest.
func column(row *sqlite3.Stmt, col int) (d fingerprint.Digest, err error) {
	raw := row.ColumnRawBlob(col)
	if len(raw) != len(d) {
		return d, &replay.CorruptError{Place: "column " + row.ColumnName(col), Err: fmt.Errorf("%d bytes; want %d", len(raw), len(d))}
	}
	return fingerprint.Digest(raw), nil
}

// form reads the form of an object.
func form(row *sqlite3.Stmt, col int, name fingerprint.Digest) (replay.Form, error) {
	n := row.ColumnInt64(col)
	if n < 0 || n > math.MaxUint8 {
		return 0, &replay.CorruptError{Name: name, Place: "column form", Err: fmt.Errorf("%d", n)}
	}
	return replay.Form(n), nil
}
