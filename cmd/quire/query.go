package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/quirehq/quire/replay"
)

// queryFlags are the flags that select records.
type queryFlags struct {
	session, since, until, shard string
	labels                       []string
}

func addQueryFlags(cmd *cobra.Command) *queryFlags {
	f := new(queryFlags)
	cmd.Flags().StringVar(&f.session, "session", "", "only this session")
	cmd.Flags().StringVar(&f.since, "since", "", "only records of this time or later: 2026-01-31, 2026-01-31T12:00:00Z, or 36h and 7d back")
	cmd.Flags().StringVar(&f.until, "until", "", "only records before this time")
	cmd.Flags().StringArrayVar(&f.labels, "label", nil, "only records with this label, NAME=VALUE; may be repeated")
	return f
}

func (f *queryFlags) query() (q replay.Query, err error) {
	q.Session = f.session
	if q.Since, err = parseTime("--since", f.since); err != nil {
		return q, err
	}
	if q.Until, err = parseTime("--until", f.until); err != nil {
		return q, err
	}
	if q.Labels, err = parseLabels(f.labels); err != nil {
		return q, err
	}
	if f.shard != "" {
		if q.Shard, err = replay.ParseShard(f.shard); err != nil {
			err = fmt.Errorf("--%s", bare(err))
		}
	}
	return q, err
}

func parseLabels(list []string) (map[string]string, error) {
	var labels map[string]string
	for _, label := range list {
		name, value, ok := strings.Cut(label, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--label %q; want NAME=VALUE", label)
		}
		if !utf8.ValidString(label) {
			return nil, fmt.Errorf("--label %q; want text in UTF-8", label)
		}
		if before, twice := labels[name]; twice && before != value {
			return nil, fmt.Errorf("--label %s is given as %q and as %q; want one value for a name", plain(name), before, value)
		}
		if labels == nil {
			labels = map[string]string{}
		}
		labels[name] = value
	}
	return labels, nil
}

// parseTime reads a date, a time, or how long ago.
func parseTime(flag, text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= maxDays {
			return daysAgo(int(n)), nil
		}
	}
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		return time.Now().Add(-ago), nil
	}
	return time.Time{}, fmt.Errorf("%s %q; want 2026-01-31, 2026-01-31T12:00:00Z, 36h or 7d", flag, text)
}

// maxDays is how far back days are counted: a thousand years, which a duration could not hold.
const maxDays = 365_250

func daysAgo(n int) time.Time { return time.Now().UTC().AddDate(0, 0, -n) }
