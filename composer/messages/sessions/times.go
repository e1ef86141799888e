package sessions

import (
	"strconv"
	"strings"
	"time"

	"github.com/quirehq/quire/composer/internal/wire"
)

// parseTime reads a time as logs have them: RFC 3339, with or without a zone (then it is taken for UTC), or seconds since
// 1970 as a decimal. Anything else is the zero time.
func parseTime(text string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC()
		}
	}
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || seconds < 0 || seconds > 1<<40 {
		return time.Time{}
	}
	if seconds > 100_000_000_000 { // milliseconds
		return time.UnixMilli(seconds).UTC()
	}
	nanos, err := strconv.ParseInt((fraction + "000000000")[:9], 10, 64)
	if err != nil {
		nanos = 0
	}
	return time.Unix(seconds, nanos).UTC()
}

// memberTime reads a time, as a string or a number.
func memberTime(m wire.Member) time.Time {
	return parseTime(string(wire.Plain(m.JSON())))
}
