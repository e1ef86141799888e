package composer

import "github.com/quirehq/quire/tiers"

// A PromptBuilt is the published event of one composition, with the published field names. Sizes are in the measure.
type PromptBuilt struct {
	Sections        int              `json:"sections"` // how many are in
	TotalChars      int64            `json:"totalChars"`
	TotalTokensEst  int64            `json:"totalTokensEst"`
	BudgetUsedPct   int64            `json:"budgetUsedPct"`
	EffectiveBudget tiers.Budget     `json:"effectiveBudget"` // null: unlimited
	SectionChars    map[string]int64 `json:"sectionChars"`    // by id, of the included
	Dropped         []string         `json:"dropped,omitempty"`
	DroppedChars    map[string]int64 `json:"droppedChars,omitempty"`
}

// BuildPromptBuiltEvent returns the event that a [Probe] of this composition is given.
func BuildPromptBuiltEvent(c Composition) PromptBuilt {
	event := PromptBuilt{
		Sections:        c.plan.Included,
		TotalChars:      c.TotalChars(),
		TotalTokensEst:  c.TotalTokensEst(),
		BudgetUsedPct:   c.BudgetUsedPct(),
		EffectiveBudget: c.EffectiveBudget(),
		SectionChars:    make(map[string]int64, c.plan.Included),
	}
	for i, v := range c.plan.Verdicts {
		id, size := c.parts[i].id, v.Chosen(c.items[i]).Size()
		if v.Included() {
			event.SectionChars[id] = size
			continue
		}
		if event.DroppedChars == nil {
			event.DroppedChars = make(map[string]int64)
		}
		event.Dropped = append(event.Dropped, id)
		event.DroppedChars[id] = size
	}
	return event
}
