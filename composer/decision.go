package composer

import "github.com/quirehq/quire/tiers"

// A Decision says what became of one candidate.
type Decision struct {
	ID        string       `json:"id"`
	Tier      tiers.Tier   `json:"tier"`
	Size      int64        `json:"size"` // in the measure, of the form that was chosen; of the content when it is not in
	Included  bool         `json:"included"`
	Alternate int          `json:"alternate"` // 0: the content; k > 0: the k-th alternate
	Reason    tiers.Reason `json:"reason"`
	Limit     tiers.Budget `json:"limit"`  // what it was held against; null for core, and where its tier has no limit
	Before    int64        `json:"before"` // what was charged before it was offered, in the unit of Limit
	Start     int64        `json:"start"`  // its bytes in the text are [Start, End)
	End       int64        `json:"end"`    // equal to Start when it is not in: it would have stood there
}

// Decisions returns one decision for every candidate, in candidate order. Limit and Before are in UTF-8 bytes when the
// reason is over-bytes, else in the measure.
func (c Composition) Decisions() []Decision {
	decisions := make([]Decision, len(c.parts))
	join := int64(len(c.join.Text()))
	var offset int64 // the end of what is emitted so far
	started := false
	for i, v := range c.plan.Verdicts {
		d := &decisions[i]
		*d = Decision{
			ID:        c.parts[i].id,
			Tier:      c.items[i].Tier,
			Size:      v.Chosen(c.items[i]).Size(),
			Included:  v.Included(),
			Alternate: v.Alternate,
			Reason:    v.Reason,
			Limit:     v.Limit,
			Before:    v.Before,
			Start:     offset,
			End:       offset,
		}
		if !d.Included {
			continue
		}
		if started {
			d.Start += join
		}
		started = true
		d.End = d.Start + int64(len(c.form(i)))
		offset = d.End
	}
	return decisions
}

// Included returns the ids of the included sections, in order.
func (c Composition) Included() []string { return c.ids(true) }

// Dropped returns the ids of the sections that are not in, in candidate order.
func (c Composition) Dropped() []string { return c.ids(false) }

func (c Composition) ids(included bool) []string {
	ids := []string{}
	for i, v := range c.plan.Verdicts {
		if v.Included() == included {
			ids = append(ids, c.parts[i].id)
		}
	}
	return ids
}
