package tiers_test

import (
	"encoding"
	"fmt"
	"strings"
	"testing"

	"github.com/quirehq/quire/tiers"
)

// An enum is what the three enumerations of the package have in common.
type enum interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
}

func TestEnumsRoundTrip(t *testing.T) {
	t.Run("tier", func(t *testing.T) {
		roundTrip(t, tiers.ParseTier, []string{"core", "active", "informational"},
			tiers.Core, tiers.Active, tiers.Informational)
	})
	t.Run("gate", func(t *testing.T) {
		roundTrip(t, tiers.ParseGate, []string{"published", "reserved", "prefix-stable"},
			tiers.Published, tiers.Reserved, tiers.PrefixStable)
	})
	t.Run("reason", func(t *testing.T) {
		roundTrip(t, tiers.ParseReason, []string{"core", "fits", "over-ceiling", "over-budget", "over-bytes", "group", "chain"},
			tiers.IsCore, tiers.Fits, tiers.OverCeiling, tiers.OverBudget, tiers.OverBytes, tiers.InGroup, tiers.InChain)
	})
}

func roundTrip[E enum](t *testing.T, parse func(string) (E, error), names []string, values ...E) {
	t.Helper()
	for i, v := range values {
		if got := v.String(); got != names[i] {
			t.Errorf("value %d prints as %q, want %q", i, got, names[i])
		}
		if got, err := parse(names[i]); got != v || err != nil {
			t.Errorf("parse(%q) = %v, %v", names[i], got, err)
		}
		text, err := v.MarshalText()
		if string(text) != names[i] || err != nil {
			t.Errorf("MarshalText of %v = %q, %v", v, text, err)
		}
		var back E
		if err := any(&back).(encoding.TextUnmarshaler).UnmarshalText(text); back != v || err != nil {
			t.Errorf("UnmarshalText(%q) = %v, %v", text, back, err)
		}
	}
	for _, name := range []string{"", "Core", "core ", "0", "reserve", "over_bytes"} {
		_, err := parse(name)
		kept := values[1]
		if any(&kept).(encoding.TextUnmarshaler).UnmarshalText([]byte(name)) == nil || kept != values[1] {
			t.Errorf("UnmarshalText(%q) is no error, or made %v of %v", name, kept, values[1])
		}
		if err == nil {
			t.Errorf("parse(%q) is no error", name)
			continue
		}
		for _, want := range append([]string{"tiers: unknown", fmt.Sprintf("%q", name)}, names...) {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("parse(%q): %q does not name %s", name, err, want)
			}
		}
	}
}

func TestUnknownEnumsPrintAsNumbersAndDoNotMarshal(t *testing.T) {
	for _, v := range []enumValue{tiers.Tier(3), tiers.Gate(3), tiers.Reason(7)} {
		if got := v.String(); got != "3" && got != "7" {
			t.Errorf("String() = %q", got)
		}
		if text, err := v.MarshalText(); err == nil {
			t.Errorf("MarshalText of %v = %q, want an error", v, text)
		}
	}
}

type enumValue interface {
	fmt.Stringer
	encoding.TextMarshaler
}

func TestOnlyTwoReasonsAdmit(t *testing.T) {
	for r := tiers.IsCore; r <= tiers.InChain; r++ {
		want := r == tiers.IsCore || r == tiers.Fits
		if r.Admits() != want || (tiers.Verdict{Reason: r}).Included() != want {
			t.Errorf("%v admits: %v, want %v", r, r.Admits(), want)
		}
	}
}
