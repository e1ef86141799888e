package tiers_test

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/quirehq/quire/tiers"
)

// Core takes 60 of 100. Active items may fill 95 % of the 40 that are left, informational ones all of them.
func ExampleAdmit() {
	items := []tiers.Item{
		{Tier: tiers.Core, Cost: tiers.Charged(60, 60)},
		{Tier: tiers.Active, Cost: tiers.Charged(39, 39)},
		{Tier: tiers.Active, Cost: tiers.Charged(30, 30)},
		{Tier: tiers.Informational, Cost: tiers.Charged(10, 10)},
	}
	plan, err := tiers.Admit(items, tiers.Rules{Budget: tiers.Limit(100)})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, v := range plan.Verdicts {
		fmt.Printf("%d %v: %v, %d before, limit %v\n", i, items[i].Tier, v.Reason, v.Before, v.Limit)
	}
	fmt.Println("total", plan.Total.Size(), "overflow", plan.Overflow)
	// Output:
	// 0 core: core, 0 before, limit unlimited
	// 1 active: over-ceiling, 60 before, limit 98
	// 2 active: fits, 60 before, limit 98
	// 3 informational: fits, 90 before, limit 100
	// total 100 overflow 0
}

// "Keep the newest messages that fit" is one chain in which the newer have the higher priority.
func ExampleAdmit_evict() {
	var items []tiers.Item
	for place, size := range []int64{30, 30, 60, 20} { // the oldest first
		items = append(items, tiers.Item{Tier: tiers.Informational, Cost: tiers.Charged(size, size), Priority: place, Chain: 1})
	}
	plan, _ := tiers.Admit(items, tiers.Rules{Gate: tiers.Reserved, Budget: tiers.Limit(100)})
	for i, v := range plan.Verdicts {
		fmt.Println(i, v.Included(), v.Reason)
	}
	// Output:
	// 0 false chain
	// 1 false over-budget
	// 2 true fits
	// 3 true fits
}

func ExampleItemError() {
	_, err := tiers.Admit([]tiers.Item{{Cost: tiers.Charged(-1, 0)}}, tiers.Rules{})
	var item *tiers.ItemError
	fmt.Println(errors.As(err, &item), item.Index, errors.Is(err, tiers.ErrNegative))
	fmt.Println(err)
	// Output:
	// true 0 true
	// tiers: item 0: negative size -1
}

func ExampleVerdict_Chosen() {
	item := tiers.Item{Tier: tiers.Active, Cost: tiers.Charged(50, 50), Alternates: []tiers.Cost{tiers.Charged(9, 9)}}
	plan, _ := tiers.Admit([]tiers.Item{item}, tiers.Rules{Budget: tiers.Limit(10)})
	fmt.Println(plan.Verdicts[0].Alternate, plan.Verdicts[0].Chosen(item).Size())
	// Output: 1 9
}

func ExampleCeiling() {
	fraction := tiers.DefaultActiveFraction()
	fmt.Println(tiers.Ceiling(60, 100, fraction))
	fmt.Println(tiers.Ceiling(100, 0, fraction)) // core alone is over the budget
	// Output:
	// 98
	// 5
}

func ExampleDefaultActiveFraction() {
	fmt.Println(tiers.DefaultActiveFraction())
	// Output: 19/20
}

func ExampleNewFraction() {
	f, err := tiers.NewFraction(38, 40)
	fmt.Println(f, err)
	_, err = tiers.NewFraction(3, 2)
	fmt.Println(err)
	// Output:
	// 19/20 <nil>
	// tiers: fraction 3/2; want a ratio from 0 to 1 with a denominator from 1 to 10^18
}

func ExampleParseFraction() {
	f, _ := tiers.ParseFraction("0.7")
	fmt.Println(f, f.Of(90), f.Of(-1))
	_, err := tiers.ParseFraction("1.2")
	fmt.Println(err)
	// Output:
	// 7/10 63 -1
	// tiers: fraction "1.2"; want a decimal from 0 to 1 with at most 18 digits after the point, such as 0.95
}

func ExampleLimit() {
	limited, _ := json.Marshal(tiers.Limit(0))
	unlimited, _ := json.Marshal(tiers.Budget{})
	fmt.Println(string(limited), string(unlimited))
	// Output: 0 null
}

func ExampleParseBudget() {
	b, _ := tiers.ParseBudget("60000")
	fmt.Println(b)
	_, err := tiers.ParseBudget("-1")
	fmt.Println(err)
	// Output:
	// 60000
	// tiers: budget "-1"; want an integer from 0 to 9223372036854775807
}

func ExampleBudget_UsedPercent() {
	fmt.Println(tiers.Limit(200).UsedPercent(199), tiers.Limit(100).UsedPercent(150), tiers.Budget{}.UsedPercent(150))
	// Output: 100 150 0
}

func ExampleBudget_Over() {
	fmt.Println(tiers.Limit(100).Over(150), tiers.Limit(100).Over(50), tiers.Budget{}.Over(150))
	// Output: 50 0 0
}

func ExampleByDepth() {
	resolve := tiers.ByDepth(60_000, 40_000, 20_000)
	fmt.Println(resolve(0, "main"), resolve(1, "scout"), resolve(7, "scout"))
	// Output: 60000 40000 20000
}

func ExampleEffectiveBudget() {
	resolve := tiers.ByDepth(60_000)
	fmt.Println(tiers.EffectiveBudget(tiers.Limit(0), resolve, 0, ""))
	fmt.Println(tiers.EffectiveBudget(tiers.Budget{}, resolve, 0, ""))
	fmt.Println(tiers.EffectiveBudget(tiers.Budget{}, nil, 0, ""))
	// Output:
	// 0
	// 60000
	// unlimited
}

func ExampleWouldFit() {
	fmt.Println(tiers.WouldFit(60, 40, tiers.Limit(100)), tiers.WouldFit(60, 41, tiers.Limit(100)))
	// Output: true false
}

func ExampleShouldCondense() {
	fmt.Println(tiers.ShouldCondense(0), tiers.ShouldCondense(1), tiers.ShouldCondense(1, 3))
	// Output: false true false
}

func ExampleSkipInformational() {
	fmt.Println(tiers.SkipInformational(1), tiers.SkipInformational(2), tiers.SkipInformational(2, 3))
	// Output: false true false
}

func ExampleCharged() {
	c := tiers.Charged(2, 4) // an emoji: two UTF-16 units, four bytes
	fmt.Println(c.Size(), c.Bytes(), c.Known(), tiers.Cost{}.Known())
	// Output: 2 4 true false
}

func ExampleParseTier() {
	t, _ := tiers.ParseTier("active")
	fmt.Println(t == tiers.Active)
	_, err := tiers.ParseTier("Active")
	fmt.Println(err)
	// Output:
	// true
	// tiers: unknown tier "Active"; want core, active or informational
}

func ExampleParseGate() {
	g, err := tiers.ParseGate("prefix-stable")
	fmt.Println(g == tiers.PrefixStable, err)
	// Output: true <nil>
}

func ExampleParseReason() {
	r, err := tiers.ParseReason("over-ceiling")
	fmt.Println(r == tiers.OverCeiling, r.Admits(), err)
	// Output: true false <nil>
}
