package tiers

import (
	"fmt"
	"strconv"
	"strings"
)

// A Tier says how much an item matters. The zero value is Core: an item that nobody gave a tier is never dropped.
type Tier uint8

// The tiers, most important first.
const (
	Core          Tier = 0 // always included, whatever the budget
	Active        Tier = 1 // included up to the ceiling
	Informational Tier = 2 // included up to the budget
)

var tierNames = []string{"core", "active", "informational"}

// String returns the tier's name as prompt files and recipes spell it.
func (t Tier) String() string { return nameOf(tierNames, uint8(t)) }

// ParseTier reads a name that [Tier.String] writes.
func ParseTier(name string) (Tier, error) { return parseName[Tier]("tier", tierNames, name) }

// MarshalText writes the tier's name.
func (t Tier) MarshalText() ([]byte, error) { return marshalName("tier", tierNames, uint8(t)) }

// UnmarshalText reads the tier's name. After an error the tier is what it was.
func (t *Tier) UnmarshalText(text []byte) error {
	return unmarshalName(t, "tier", tierNames, text)
}

// The enumerations of this package (Tier, Gate, Reason) are spelled by the same functions.

func nameOf(names []string, v uint8) string {
	if int(v) < len(names) {
		return names[v]
	}
	return strconv.Itoa(int(v))
}

func parseName[T ~uint8](kind string, names []string, name string) (T, error) {
	for v, n := range names {
		if n == name {
			return T(v), nil
		}
	}
	return 0, fmt.Errorf("tiers: unknown %s %q; want %s", kind, name, oneOf(names))
}

func marshalName(kind string, names []string, v uint8) ([]byte, error) {
	if int(v) >= len(names) {
		return nil, fmt.Errorf("tiers: unknown %s %d", kind, v)
	}
	return []byte(names[v]), nil
}

func unmarshalName[T ~uint8](to *T, kind string, names []string, text []byte) error {
	v, err := parseName[T](kind, names, string(text))
	if err == nil {
		*to = v
	}
	return err
}

func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
